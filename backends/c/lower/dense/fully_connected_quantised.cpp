// byoc.FullyConnected on i8.
#include "backends/c/lower/dense/dense_quantised.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/quantised.hpp"

namespace byoc::c {
codegen::Verdict accepts_fully_connected_quantised(const codegen::Region& region, const codegen::Node& node,
                                                   const TargetSpec&) {
  return accepts_dense(region, node, lifted_layer(region, node), read_fully_connected(region, node));
}

std::vector<KernelOption> fully_connected_options(const LayerQuestion& q, const codegen::Node& node) {
  if (!q.region.values[node.inputs[0]].quantised()) return {};
  return dense_options(q, lifted_layer(q.region, node), read_fully_connected(q.region, node));
}

bool lower_fully_connected_quantised(Emitter& emitter, const codegen::Node& node) {
  return lower_dense_quantised(emitter, node, lifted_layer(emitter.region, node),
                               read_fully_connected(emitter.region, node));
}

}  // namespace byoc::c
