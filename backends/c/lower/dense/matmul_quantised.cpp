// MatMul on 8 bits with a constant matrix as second operand.
#include "backends/c/lower/dense/dense_quantised.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/quantised.hpp"

namespace byoc::c {

codegen::Verdict accepts_matmul_quantised(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  const QuantisedLayer layer = lifted_layer(region, node);
  return accepts_dense(region, node, layer, rows_by_matrix(layer.in, layer.weights));
}

std::vector<KernelOption> matmul_options(const LayerQuestion& q, const codegen::Node& node) {
  if (!q.region.values[node.inputs[0]].quantised()) return {};
  const QuantisedLayer layer = lifted_layer(q.region, node);
  return dense_options(q, layer, rows_by_matrix(layer.in, layer.weights));
}

bool lower_matmul_quantised(Emitter& emitter, const codegen::Node& node) {
  const QuantisedLayer layer = lifted_layer(emitter.region, node);
  return lower_dense_quantised(emitter, node, layer, rows_by_matrix(layer.in, layer.weights));
}

}  // namespace byoc::c
