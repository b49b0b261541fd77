// QLinearMatMul by a constant matrix: a product whose scales and zero points are operands.
#include "backends/c/lower/dense_quantised.hpp"
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {

codegen::Verdict accepts_qlinear_matmul(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  codegen::Verdict why;
  const auto layer = qlinear_layer(region, node, 1, why);
  return layer ? accepts_dense(region, node, *layer, rows_by_matrix(*layer)) : why;
}

bool lower_qlinear_matmul(Emitter& emitter, const codegen::Node& node) {
  codegen::Verdict why;
  const auto layer = qlinear_layer(emitter.region, node, 1, why);
  return layer ? lower_dense_quantised(emitter, node, *layer, rows_by_matrix(*layer)) : emitter.error(node, why.text);
}

}  // namespace byoc::c
