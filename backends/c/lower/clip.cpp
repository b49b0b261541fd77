// Clip with constant bounds, where no producer has fused it.
#include "backends/c/lower/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantised.hpp"
#include "backends/c/lower/unary.hpp"

namespace byoc::c {

codegen::Verdict accepts_clip(const codegen::Region& region, const codegen::Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_clip_quantised(region, node, target);
  const codegen::Verdict verdict = accepts_unary_float(region, node, target);
  if (verdict.claimed && !clamp_bounds(region, node))
    return refuse(codegen::Reason::not_constant, "found computed bounds, expected constants");
  return verdict;
}

bool lower_clip(Emitter& emitter, const codegen::Node& node) {
  if (emitter.value(node.inputs[0]).quantised()) return lower_clip_quantised(emitter, node);
  if (clamp_is_fused(emitter, node)) return true;
  const auto bounds = clamp_bounds(emitter.region, node);
  if (!bounds) return emitter.error(node, "has computed bounds, expected constants");
  // max first, then min: where the bounds cross, the upper one wins, as ONNX says.
  return lower_unary_float(emitter, node,
                           {"byoc_clip_f32", "((v < a ? a : v) > b ? b : (v < a ? a : v))", bounds->lo, bounds->hi});
}

}  // namespace byoc::c
