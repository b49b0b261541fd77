// C functions of control nodes and their bodies. Internal to this folder.
#pragma once

#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// The functions of control nodes, each behind the functions of its bodies.
[[nodiscard]] std::string functions(const PrintRequest& request);

// "int32_t m_If_0(instance_t *instance, const float *in0, ..., float *out0, ..., void *workspace)": the function of a
// call that is a control node. In the model's own graph others may call it.
[[nodiscard]] std::string control_head(const PrintRequest& request, const plan::Call& call);

// The function itself, which calls those of its bodies.
[[nodiscard]] std::string control_function(const PrintRequest& request, const plan::Call& call);

// {"workspace", "workspace_dtcm"}: what a routine's function is given.
[[nodiscard]] std::vector<std::string> workspace_parameters(const PrintRequest& request, const plan::Routine& routine);

// A parameter list without a trailing comma. Each of `types` is a pointer's.
[[nodiscard]] std::string parameter_list(const PrintRequest& request, bool uses_instance,
                                         const std::vector<DType>& inputs, const std::vector<DType>& outputs,
                                         const std::vector<std::string>& workspaces);

}  // namespace byoc::executor
