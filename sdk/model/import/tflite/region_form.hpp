// Parts of a TFLite file as models of their own.
#pragma once

#include <memory>

#include "byoc/codegen.hpp"
#include "sdk/model/import/tflite/model.hpp"

namespace byoc::tflite {

// Gives regions of the graph that was imported from the model's current subgraph: the operators that compute a region's
// outputs from its inputs are found in the file by the numbers of its tensors, whatever has become of them since.
[[nodiscard]] std::shared_ptr<const codegen::ModelSource> source_of(const Model& model);

}  // namespace byoc::tflite
