// C functions of control nodes and their bodies. Internal to this folder.
#pragma once

#include <string>

#include "sdk/executor/aot.hpp"

namespace byoc::executor {

// The function of a control node, which calls those of its bodies; in the model's own graph others may call it.
// Parameters: the instance if the step uses it, in0 ... and out0 ... for the operands of the step, and the workspaces.
[[nodiscard]] std::string control_function(const AotRequest& request, const ir::Graph& graph, const plugin::Step& step,
                                           const plan::ControlPlan& plan);

// "int32_t m_If_0(...);\n" of the control nodes in the model's own graph: what step_table.cpp calls.
[[nodiscard]] std::string control_prototypes(const AotRequest& request);

// {"workspace", "workspace_dtcm"}: that of the first pool, and those in which there is something.
[[nodiscard]] std::vector<std::string> workspace_parameters(const TargetSpec& target,
                                                            const std::vector<plan::PoolUse>& pools);

// "instance_t *instance, const float *in0, ..., float *out0, ..., void *workspace"
[[nodiscard]] std::string function_parameters(const AotRequest& request, const ir::Graph& graph,
                                              const std::vector<ir::ValueId>& inputs,
                                              const std::vector<ir::ValueId>& outputs, bool uses_instance,
                                              const std::vector<std::string>& workspaces);
// "  (void)in3;" for each parameter of these that the text does not mention.
[[nodiscard]] std::string ignore_unused(const std::string& text, std::size_t inputs, std::size_t outputs,
                                        bool uses_instance, const std::vector<std::string>& workspaces);

}  // namespace byoc::executor
