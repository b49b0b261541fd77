// Gemm on f32: packed where B and C allow it, the general product otherwise.
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

codegen::Verdict accepts_gemm_float(const Region& region, const Node& node, const TargetSpec&) {
  for (codegen::ValueId v : node.inputs)
    if (v != codegen::kNoValue && region.values[v].dtype != DType::f32)
      return refuse_dtype(region.values[v].dtype, "f32");
  std::string why;
  if (!read_gemm(region, node, why)) return refuse(Reason::unsupported_shape, why);
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_gemm_float(Emitter& emitter, const Node& node) {
  std::string why;
  const std::optional<MatMul> read = read_gemm(emitter.region, node, why);
  if (!read) return emitter.error(node, why);
  const MatMul& m = *read;
  const Value& a = *emitter.input(node, 0);
  const Value& b = *emitter.input(node, 1);
  const Value* c = emitter.input(node, 2);
  // A single row is the same transposed.
  const bool rows_are_dense = m.a_depth == 1 || m.rows == 1;
  if (a.is_constant || !b.is_constant || !rows_are_dense || (c && !(c->is_constant && m.c_row == 0))) {
    lower_general_matmul(emitter, node, m);
    return true;
  }
  Dense d{.rows = m.rows,
          .depth = m.depth,
          .units = m.columns,
          .weights = node.inputs[1],
          .unit_stride = m.b_column,
          .depth_stride = m.b_depth,
          .bias = {}};
  d.scale(b, m.alpha, c, m.beta);
  lower_dense(emitter, node, d);
  return true;
}

}  // namespace byoc::c
