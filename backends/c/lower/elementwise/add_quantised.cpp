// Add on i8 and u8.
#include "backends/c/lower/elementwise/sum_quantised.hpp"
#include "backends/c/lower/quantise/quantised.hpp"

namespace byoc::c {
namespace {

tflite::PairParameters add_scales(const codegen::Region& region, const codegen::Node& node) {
  const auto scale = [&](codegen::ValueId v) { return affine(region.values[v]); };
  return tflite::add_parameters(scale(node.inputs[0]), scale(node.inputs[1]), scale(node.outputs[0]));
}

}  // namespace

codegen::Verdict accepts_add_quantised(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_pair(region, node, add_scales, 30);
}

std::vector<KernelOption> add_options(const LayerQuestion& q, const codegen::Node& node) {
  if (!q.region.values[node.inputs[0]].quantised() || !accepts_add_quantised(q.region, node, q.target).claimed)
    return {};
  return pair_options(q, node, add_scales(q.region, node), PairOperator::add);
}

bool lower_add_quantised(Emitter& emitter, const codegen::Node& node) {
  return lower_pair(emitter, node, add_scales(emitter.region, node), PairOperator::add);
}

}  // namespace byoc::c
