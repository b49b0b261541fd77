// Relu, where no producer has fused it.
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantised.hpp"

namespace byoc::c {

codegen::Verdict accepts_relu(const codegen::Region& region, const codegen::Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_relu_quantised(region, node, target);
  return accepts_unary(region, node, target);
}

bool lower_relu(Emitter& emitter, const codegen::Node& node) {
  if (emitter.value(node.inputs[0]).quantised()) return lower_relu_quantised(emitter, node);
  if (clamp_is_fused(emitter, node)) return true;
  return lower_unary(emitter, node);
}

}  // namespace byoc::c
