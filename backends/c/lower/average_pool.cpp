// AveragePool: by the type of its values.
#include "backends/c/lower/quantised.hpp"

namespace byoc::c {

codegen::Verdict accepts_average_pool(const codegen::Region& region, const codegen::Node& node,
                                      const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_average_pool_quantised(region, node, target);
  return refuse(codegen::Reason::unsupported_dtype, "found no quantisation, expected i8 values with scales");
}

bool lower_average_pool(Emitter& emitter, const codegen::Node& node) {
  return lower_average_pool_quantised(emitter, node);
}

}  // namespace byoc::c
