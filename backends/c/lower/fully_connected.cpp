// byoc.FullyConnected: the float and the quantised lowerings.

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"

namespace byoc::c {

codegen::Verdict accepts_fully_connected(const codegen::Region& region, const codegen::Node& node,
                                         const TargetSpec& target) {
  if (is_float(region, node)) return accepts_fully_connected_float(region, node, target);
  return refuse_dtype(region.values[node.inputs[0]].dtype, "f32");
}

bool lower_fully_connected(Emitter& emitter, const codegen::Node& node) {
  return lower_fully_connected_float(emitter, node);
}

}  // namespace byoc::c
