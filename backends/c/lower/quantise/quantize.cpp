// byoc.Quantize: from real values, or from one quantisation to another.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantise_elements.hpp"
#include "backends/c/lower/quantise/rescale.hpp"

namespace byoc::c {

codegen::Verdict accepts_quantize(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  if (region.values[node.inputs[0]].quantised()) return accepts_rescale(region, node);
  return accepts_quantise(region, node, region.values[node.outputs[0]].quantisation);
}

bool lower_quantize(Emitter& emitter, const codegen::Node& node) {
  if (emitter.input(node, 0)->quantised()) return lower_rescale(emitter, node);
  return lower_quantise(emitter, node, emitter.value(node.outputs[0]).quantisation);
}

}  // namespace byoc::c
