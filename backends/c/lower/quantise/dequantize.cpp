// byoc.Dequantize: the quantisation is the input's.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantise_elements.hpp"

namespace byoc::c {

codegen::Verdict accepts_dequantize(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_dequantise(region, node, region.values[node.inputs[0]].quantisation);
}

bool lower_dequantize(Emitter& emitter, const codegen::Node& node) {
  return lower_dequantise(emitter, node, emitter.input(node, 0)->quantisation);
}

}  // namespace byoc::c
