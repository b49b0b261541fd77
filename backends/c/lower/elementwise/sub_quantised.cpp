// Sub on i8 and u8.
#include "backends/c/lower/elementwise/pair_factors.hpp"
#include "backends/c/lower/elementwise/sum_quantised.hpp"
#include "backends/c/lower/quantise/quantised.hpp"

namespace byoc::c {
namespace {

tflite::PairParameters sub_scales(const codegen::Region& region, const codegen::Node& node) {
  const auto scale = [&](codegen::ValueId v) { return affine(region.values[v]); };
  return sub_factors(node, scale(node.inputs[0]), scale(node.inputs[1]), scale(node.outputs[0]));
}

}  // namespace

codegen::Verdict accepts_sub_quantised(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_pair(region, node, sub_scales, 30);
}

std::vector<KernelOption> sub_options(const LayerQuestion& q, const codegen::Node& node) {
  if (!q.region.values[node.inputs[0]].quantised() || !accepts_sub_quantised(q.region, node, q.target).claimed)
    return {};
  return pair_options(q, node, sub_scales(q.region, node), PairOperator::subtract);
}

bool lower_sub_quantised(Emitter& emitter, const codegen::Node& node) {
  return lower_pair(emitter, node, sub_scales(emitter.region, node), PairOperator::subtract);
}

}  // namespace byoc::c
