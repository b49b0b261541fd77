// Softmax: by the type of its values.
#include "backends/c/lower/quantised.hpp"

namespace byoc::c {

codegen::Verdict accepts_softmax(const codegen::Region& region, const codegen::Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_softmax_quantised(region, node, target);
  return refuse(codegen::Reason::unsupported_dtype, "found no quantisation, expected i8 values with scales");
}

bool lower_softmax(Emitter& emitter, const codegen::Node& node) { return lower_softmax_quantised(emitter, node); }

}  // namespace byoc::c
