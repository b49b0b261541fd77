// MatMul on f32: NumPy's rules of batches and vectors.
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

codegen::Verdict accepts_matmul_float(const Region& region, const Node& node, const TargetSpec&) {
  for (codegen::ValueId v : node.inputs)
    if (region.values[v].dtype != DType::f32) return refuse_dtype(region.values[v].dtype, "f32");
  std::string why;
  if (!read_matmul(region, node, 0, 1, why)) return refuse(Reason::unsupported_shape, why);
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_matmul_float(Emitter& emitter, const Node& node) {
  std::string why;
  const std::optional<MatMul> m = read_matmul(emitter.region, node, 0, 1, why);
  if (!m) return emitter.error(node, why);
  const Value& a = *emitter.input(node, 0);
  const Value& b = *emitter.input(node, 1);
  if (a.is_constant || !b.is_constant || m->depth == 0 || b.elements() != m->depth * m->columns) {
    lower_general_matmul(emitter, node, *m);
    return true;
  }
  // One matrix for all batches: their rows form one stack.
  lower_dense(emitter, node,
              {.rows = a.elements() / m->depth,
               .depth = m->depth,
               .units = m->columns,
               .weights = node.inputs[1],
               .unit_stride = m->b_column,
               .depth_stride = m->b_depth,
               .bias = {}});
  return true;
}

}  // namespace byoc::c
