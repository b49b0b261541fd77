// Softmax, LogSoftmax and Hardmax: by the type of their values.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

codegen::Verdict accepts_softmax(const codegen::Region& region, const codegen::Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_softmax_quantised(region, node, target);
  return accepts_softmax_float(region, node, target);
}

bool lower_softmax(Emitter& emitter, const codegen::Node& node) {
  if (emitter.input(node, 0)->quantised()) return lower_softmax_quantised(emitter, node);
  return lower_softmax_float(emitter, node);
}

}  // namespace byoc::c
