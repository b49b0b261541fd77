// TFLite: the FlatBuffer is verified, then read in place; buffers are mapped and never copied.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Errors name the file and the operator: not a TFLite model, truncated or damaged, an operator, version, option or
// dtype that is not supported, tensors and buffers that do not fit. `signature`: of several in the model, whose
// subgraph is imported under its names; "": the first subgraph.
//
// A dim of an input that the model leaves open (-1 in its shape_signature) is as long as its shape says, mostly 1, or
// as `lengths` says, by the tensor's name and the dim: "input.1". Whatever follows from it gets a shape of its own
// then; lengths that were found are taken out. Errors: no such dim, out of range, shapes that do not follow.
Result<ir::Graph> import_tflite(const std::string& path, Diagnostics&, const std::string& signature = {},
                                std::map<std::string, std::int64_t>* lengths = nullptr);

}  // namespace byoc
