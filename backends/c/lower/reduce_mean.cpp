// ReduceMean: by the type of its values.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"

namespace byoc::c {

codegen::Verdict accepts_reduce_mean(const codegen::Region& region, const codegen::Node& node,
                                     const TargetSpec& target) {
  if (is_float(region, node)) return accepts_reduce_float(region, node, target);
  return refuse_dtype(region.values[node.inputs[0]].dtype, "f32");
}

bool lower_reduce_mean(Emitter& emitter, const codegen::Node& node) { return lower_reduce_float(emitter, node); }

}  // namespace byoc::c
