// Sub on i8 and u8.
#include "backends/c/lower/quantised.hpp"
#include "backends/c/lower/sum_quantised.hpp"

namespace byoc::c {
namespace {

PairScales scales(const codegen::Region& region, const codegen::Node& node) {
  return sum_scales<float>(region.values[node.inputs[0]], region.values[node.inputs[1]],
                           region.values[node.outputs[0]]);
}

}  // namespace

codegen::Verdict accepts_sub_quantised(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_pair(region, node, scales, 30);
}

bool lower_sub_quantised(Emitter& emitter, const codegen::Node& node) {
  return lower_pair(emitter, node, scales(emitter.region, node), PairOperator::subtract);
}

}  // namespace byoc::c
