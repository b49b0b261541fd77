// Mul on i8 and u8.
#include "backends/c/lower/elementwise/pair_factors.hpp"
#include "backends/c/lower/elementwise/pair_quantised.hpp"
#include "backends/c/lower/elementwise/sum_quantised.hpp"
#include "backends/c/lower/quantise/quantised.hpp"

namespace byoc::c {
namespace {

tflite::PairParameters mul_scales(const codegen::Region& region, const codegen::Node& node) {
  const auto scale = [&](codegen::ValueId v) { return affine(region.values[v]); };
  return mul_factors(node, scale(node.inputs[0]), scale(node.inputs[1]), scale(node.outputs[0]));
}

}  // namespace

codegen::Verdict accepts_mul_quantised(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_pair(region, node, mul_scales, 14);  // a product has 17 bits
}

std::vector<KernelOption> mul_options(const LayerQuestion& q, const codegen::Node& node) {
  if (!q.region.values[node.inputs[0]].quantised() || !accepts_mul_quantised(q.region, node, q.target).claimed)
    return {};
  if (takes_pair_vectors(q.target, q.objective) && accepts_pair_quantised(q.region, node).claimed) return {};
  return pair_options(q, node, mul_scales(q.region, node), PairOperator::multiply);
}

bool lower_mul_quantised(Emitter& emitter, const codegen::Node& node) {
  return lower_pair(emitter, node, mul_scales(emitter.region, node), PairOperator::multiply);
}

}  // namespace byoc::c
