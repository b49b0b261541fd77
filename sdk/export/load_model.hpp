// The first two stages: a file becomes a graph that all others start from.
#pragma once

#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace byoc {

// import .. prepare. Errors: those of import_model and prepare.
[[nodiscard]] Result<ir::Graph> load_model(const std::string& path, const PrepareOptions& options, Diagnostics&);

// The name of a model that has none: "path/kws-int8.tflite" -> "kws_int8"
[[nodiscard]] std::string default_name(const std::string& model_path);

}  // namespace byoc
