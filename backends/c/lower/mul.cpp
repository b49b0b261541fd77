// Mul: by the type of its values.
#include "backends/c/lower/binary.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantised.hpp"

namespace byoc::c {

codegen::Verdict accepts_mul(const codegen::Region& region, const codegen::Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_mul_quantised(region, node, target);
  return accepts_binary_float(region, node, target);
}

bool lower_mul(Emitter& emitter, const codegen::Node& node) {
  if (emitter.input(node, 0)->quantised()) return lower_mul_quantised(emitter, node);
  return lower_binary_float(emitter, node);
}

}  // namespace byoc::c
