#include "sdk/model/import/onnx/operators.hpp"

namespace byoc::onnx_import {

// Before opset 10 `k` is an attribute. The graph's TopK is always sorted; `sorted` 0 allows any order.
Result<void> normalise_top_k(Normaliser& e, ir::Node node) {
  if (const auto* k = node.find<std::int64_t>("k")) {
    if (*k < 1) return e.refuse(node, "k is out of range", std::to_string(*k), "at least 1");
    node.inputs.push_back(e.integers({*k}));
    node.attributes.erase("k");
  }
  node.attributes.erase("sorted");
  e.emit(std::move(node));
  return {};
}

// Opset 9's name for ScatterElements.
Result<void> normalise_scatter(Normaliser& e, ir::Node node) {
  node.op = "ScatterElements";
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
