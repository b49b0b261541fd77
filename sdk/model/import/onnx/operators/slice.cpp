#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// Before opset 10 `starts`, `ends` and `axes` are attributes; from then on, inputs.
Result<void> normalise_slice(Normaliser& e, ir::Node node) {
  node.inputs.push_back(e.integers(node.integers("starts", {})));
  node.inputs.push_back(e.integers(node.integers("ends", {})));
  if (const auto* axes = node.find<std::vector<std::int64_t>>("axes")) node.inputs.push_back(e.integers(*axes));
  node.attributes.clear();
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
