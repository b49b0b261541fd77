// Inputs whose value is known when the model is compiled: a sample rate, a threshold, a mode.
#pragma once

#include <map>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Makes constants of inputs. `values`: by name, "16000" for all elements or as many as there are, with commas between
// them. Errors: no such input; one whose shape is open or whose elements are no plain numbers; text that is none.
Result<void> set_inputs(ir::Graph& graph, const std::map<std::string, std::string>& values, Diagnostics& diags);

}  // namespace byoc
