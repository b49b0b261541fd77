// A model file of any format we read becomes a graph.
#pragma once

#include <string>

#include "sdk/ir/graph.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

// The format is found by content: TFLite by its file identifier, graph text (.byoc) by its first word, ONNX by its
// suffix or by being readable as one. Errors: not a model (found, expected), and everything the format's importer
// refuses. `signature`: of a TFLite model that has several (import_tflite()).
Result<ir::Graph> import_model(const std::string& path, Diagnostics&, const std::string& signature = {});

}  // namespace byoc
