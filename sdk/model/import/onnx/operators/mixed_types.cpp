// Operators whose operands have types that the graph language does not mix or have there: they compute in float32.
#include "sdk/model/import/onnx/composition.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::onnx_import {
namespace {

Composition::Value as_real(Composition& c, Composition::Value v) {
  return v == ir::kNoValue ? v : c.cast(v, DType::f32);
}

}  // namespace

// IsInf and IsNaN of floats of 8 bits (opset 20).
Result<void> normalise_float_predicate(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  if (is_small(c.dtype(node.inputs[0]))) node.inputs[0] = as_real(c, node.inputs[0]);
  e.emit(std::move(node));
  return {};
}

// The result has the type of the scale, which ONNX Runtime allows to be another one than that of the input.
Result<void> normalise_layer_normalization(Normaliser& e, ir::Node node) {
  Composition c(e, node);
  const DType x = c.dtype(c.in(0)), scale = c.dtype(c.in(1));
  if (x == DType::undefined || scale == DType::undefined || x == scale) {
    e.emit(std::move(node));
    return {};
  }
  ir::Node plain = node;
  for (ir::ValueId& v : plain.inputs) v = as_real(c, v);
  plain.outputs[0] = e.temporary();
  const ir::ValueId y = plain.outputs[0];
  e.emit(std::move(plain));
  c.give(0, "Cast", {y}, {{"to", ir::onnx_number(scale)}});
  return {};
}

}  // namespace byoc::onnx_import
