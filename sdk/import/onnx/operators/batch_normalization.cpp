#include "sdk/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// `momentum` concerns training alone; what remains is `epsilon`.
Result<void> normalise_batch_normalization(Emitter& e, ir::Node node) {
  if (const auto mode = node.integer("training_mode", 0); mode != 0)
    return e.refuse(node, "training is not supported", "training_mode " + std::to_string(mode), "0");
  if (const auto spatial = node.integer("spatial", 1); spatial != 1)
    return e.refuse(node, "statistics per activation are not supported", "spatial " + std::to_string(spatial), "1");
  node.attributes.erase("momentum");
  node.attributes.erase("training_mode");
  node.attributes.erase("spatial");
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
