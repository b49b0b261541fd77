// byoc.FullyConnected: by the type of its values.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

codegen::Verdict accepts_fully_connected(const codegen::Region& region, const codegen::Node& node,
                                         const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_fully_connected_quantised(region, node, target);
  if (is_float(region, node)) return accepts_fully_connected_float(region, node, target);
  return refuse_dtype(region.values[node.inputs[0]].dtype, "f32 or quantised i8");
}

bool lower_fully_connected(Emitter& emitter, const codegen::Node& node) {
  if (emitter.input(node, 0)->quantised()) return lower_fully_connected_quantised(emitter, node);
  return lower_fully_connected_float(emitter, node);
}

}  // namespace byoc::c
