#include <algorithm>

#include "sdk/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// In inference Dropout gives its input back.
Result<void> normalise_dropout(Emitter& e, ir::Node node) {
  const ir::ValueId training = node.input(2);
  if (training != ir::kNoValue) {
    if (!e.graph.is_constant(training)) return e.refuse(node, "training_mode must be a constant");
    const auto bytes = e.graph.values[training].constant->bytes.bytes();
    if (std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; }))
      return e.refuse(node, "training is not supported", "training_mode true", "false");
  }
  node.op = "Identity";
  node.inputs.resize(1);
  node.attributes.clear();
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
