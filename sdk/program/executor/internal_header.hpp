// The header between the parts of a model: what the C of codegens includes, whichever executor calls their steps.
#pragma once

#include <map>
#include <string>

#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/model/ir/graph.hpp"
#include "sdk/target/module/bound_constants.hpp"

namespace byoc::executor {

struct InternalHeader {
  std::string text;
  std::map<std::string, std::string>
      prototypes;  // symbol -> "int32_t f(const float *in0, float *out0)", as the text has it
};

// Prototypes of the steps of all graphs of the model and of the codegens' instances, and declarations of all constants:
// those of `bound` are places behind <prefix>_weights_base. `kernel_names`: shared symbol -> the name that it has in
// this export, defined as a macro. `open`: nodes that are compiled beside the model, whose steps take dims; may be
// null. A codegen's C that disagrees does not compile.
[[nodiscard]] InternalHeader internal_header(const ir::Graph& graph, const plugin::Compilation& compilation,
                                             const std::string& prefix,
                                             const std::map<std::string, std::string>& kernel_names,
                                             const BoundConstants* bound = nullptr, const ir::Graph* open = nullptr);

}  // namespace byoc::executor
