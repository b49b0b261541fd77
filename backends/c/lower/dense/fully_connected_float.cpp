// byoc.FullyConnected on f32.
#include "backends/c/lower/dense/dense.hpp"
#include "backends/c/lower/dense/matmul.hpp"
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_fully_connected_float(const Region& region, const Node& node, const TargetSpec&) {
  if (!is_float(region, node)) return refuse_dtype(region.values[node.inputs[0]].dtype, "f32 or quantised values");
  const Value& x = region.values[node.inputs[0]];
  const Value& w = region.values[node.inputs[1]];
  const Value* bias = given_input(region, node, 2);
  if (w.dtype != DType::f32) return refuse_dtype(w.dtype, "weights of f32");
  if (bias && bias->dtype != DType::f32) return refuse_dtype(bias->dtype, "a bias of f32");
  if (w.dims.size() != 2 || w.dims[1] < 1 || x.elements() % w.dims[1])
    return refuse(Reason::unsupported_shape, "found weights " + shape_text(w) + " for an input " + shape_text(x) +
                                                 ", expected [units,depth] with a depth that divides the input");
  if (bias && bias->elements() != w.dims[0])
    return refuse(Reason::unsupported_shape,
                  "found a bias " + shape_text(*bias) + ", expected [" + std::to_string(w.dims[0]) + "]");
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_fully_connected_float(Emitter& emitter, const Node& node) {
  const Value& w = *emitter.input(node, 1);
  const Value* given_bias = emitter.input(node, 2);
  if (!w.is_constant || (given_bias && !given_bias->is_constant)) {
    MatMul m;
    m.rows = emitter.input(node, 0)->elements() / w.dims[1];
    m.depth = w.dims[1];
    m.columns = w.dims[0];
    m.a_row = m.depth;
    m.a_depth = 1;
    m.b_depth = 1;
    m.b_column = m.depth;
    m.c_column = 1;
    lower_general_matmul(emitter, node, m);
    return true;
  }
  Dense d;
  d.units = w.dims[0];
  d.depth = w.dims[1];
  d.rows = emitter.input(node, 0)->elements() / d.depth;
  d.weights = node.inputs[1];
  d.unit_stride = d.depth;
  d.depth_stride = 1;
  if (given_bias) d.bias = constant_elements<float>(*given_bias);
  lower_dense(emitter, node, d);
  return true;
}

}  // namespace byoc::c
