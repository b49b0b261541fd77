#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// Before opset 11 the bounds are attributes; from then on, inputs.
Result<void> normalise_clip(Normaliser& e, ir::Node node) {
  const float* min = node.find<float>("min");
  const float* max = node.find<float>("max");
  if (min != nullptr || max != nullptr) node.inputs.push_back(min != nullptr ? e.scalar(*min) : ir::kNoValue);
  if (max != nullptr) node.inputs.push_back(e.scalar(*max));
  node.attributes.clear();
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
