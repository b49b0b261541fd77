// TFLite: the FlatBuffer is verified, then read in place; buffers are mapped and never copied.
#pragma once

#include <string>

#include "sdk/ir/graph.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

// Errors name the file and the operator: not a TFLite model, truncated or damaged, an operator, version, option or
// dtype that is not supported, tensors and buffers that do not fit. `signature`: of several in the model, whose
// subgraph is imported under its names; "": the first subgraph.
Result<ir::Graph> import_tflite(const std::string& path, Diagnostics&, const std::string& signature = {});

}  // namespace byoc
