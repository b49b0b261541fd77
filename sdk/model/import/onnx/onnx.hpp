// ONNX: protobuf for the structure, our own wire scan for tensor payloads, which are mapped and never copied.
#pragma once

#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Errors name the file and the node: not an ONNX model, truncated, a cycle, a dangling input, an operator, attribute,
// dtype or opset that is not supported, external data that is missing or out of bounds.
Result<ir::Graph> import_onnx(const std::string& path, Diagnostics&);

}  // namespace byoc
