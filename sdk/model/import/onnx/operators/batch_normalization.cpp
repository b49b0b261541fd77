#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// In inference `momentum` means nothing; what remains is `epsilon`. The training form is that of opset 14, which gives
// out the running statistics; older ones gave out others.
Result<void> normalise_batch_normalization(Normaliser& e, ir::Node node) {
  if (const auto spatial = node.integer("spatial", 1); spatial != 1)
    return e.refuse(node, "statistics per activation are not supported", "spatial " + std::to_string(spatial), "1");
  node.attributes.erase("spatial");
  if (node.version < 7 && node.integer("is_test", 0) == 0)
    return e.refuse(node, "training is not supported", "is_test 0", "is_test 1");
  node.attributes.erase("is_test");
  if (node.integer("training_mode", 0) == 0) {
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      if (node.outputs[i] != ir::kNoValue)
        return e.refuse(node, "output " + std::to_string(i) + " is used, which only training has");
    node.outputs.resize(1);
    node.attributes.erase("momentum");
    node.attributes.erase("training_mode");
  }
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
