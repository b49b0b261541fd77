// A model file of any format we read becomes a graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// The format is found by content: TFLite by its file identifier, graph text (.byoc) by its first word, ONNX by its
// suffix or by being readable as one. Errors: not a model (found, expected), and everything the format's importer
// refuses. `signature`, `lengths`: of a TFLite model (import_tflite()).
Result<ir::Graph> import_model(const std::string& path, Diagnostics&, const std::string& signature = {},
                               std::map<std::string, std::int64_t>* lengths = nullptr);

}  // namespace byoc
