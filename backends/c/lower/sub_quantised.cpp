// Sub on i8.
#include "backends/c/lower/quantised.hpp"
#include "backends/c/lower/sum_quantised.hpp"

namespace byoc::c {
namespace {

SumScales scales(const codegen::Region& region, const codegen::Node& node) {
  return sum_scales<float>(region.values[node.inputs[0]], region.values[node.inputs[1]],
                           region.values[node.outputs[0]]);
}

}  // namespace

codegen::Verdict accepts_sub_quantised(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  for (const codegen::ValueId v : {node.inputs[0], node.inputs[1], node.outputs[0]})
    if (auto no = refuse_unless_s8(region.values[v], v == node.outputs[0] ? "output" : "operand")) return *no;
  return accepts_sum(region, node, scales(region, node));
}

bool lower_sub_quantised(Emitter& emitter, const codegen::Node& node) {
  return lower_sum(emitter, node, scales(emitter.region, node), -1);
}

}  // namespace byoc::c
