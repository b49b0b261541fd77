#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// Before opset 11 `pads` and `value` are attributes; from then on, inputs.
Result<void> normalise_pad(Normaliser& e, ir::Node node) {
  node.inputs.push_back(e.integers(node.integers("pads", {})));
  if (const float value = node.real("value", 0); value != 0) {
    Composition c(e, node);
    const bool plain = c.dtype(c.in(0)) == DType::f32;
    node.inputs.push_back(plain ? c.real(value) : c.real_like(value, c.in(0)));
  }
  node.attributes.erase("pads");
  node.attributes.erase("value");
  e.emit(std::move(node));
  return {};
}

}  // namespace byoc::onnx_import
