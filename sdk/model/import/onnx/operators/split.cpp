#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// Before opset 13 `split` is an attribute; from then on, an input. `num_outputs` (opset 18) says again how many
// outputs the node has.
Result<void> normalise_split(Normaliser& e, ir::Node node) {
  if (const auto* split = node.find<std::vector<std::int64_t>>("split")) {
    node.inputs.push_back(e.integers(*split));
    node.attributes.erase("split");
  }
  const auto outputs = static_cast<std::int64_t>(node.outputs.size());
  if (const auto n = node.integer("num_outputs", outputs); n != outputs)
    return e.refuse(node, "num_outputs does not fit the outputs", std::to_string(n), std::to_string(outputs));
  node.attributes.erase("num_outputs");
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
