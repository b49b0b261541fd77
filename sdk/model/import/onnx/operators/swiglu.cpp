#include "sdk/model/import/onnx/composition.hpp"

namespace byoc::onnx_import {

// SwiGLU (28): a gate's Swish times a value of the same shape.
Result<void> normalise_swiglu(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const auto gate = c.op("Swish", {c.in(0)}, {{"alpha", node.real("alpha", 1)}});
  c.give(0, "Mul", {gate, c.in(1)});
  return {};
}

}  // namespace byoc::onnx_import
