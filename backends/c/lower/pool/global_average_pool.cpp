// GlobalAveragePool: by the type of its values.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/pool/pool.hpp"
#include "backends/c/lower/pool/pool_any.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

codegen::Verdict accepts_global_average_pool(const codegen::Region& region, const codegen::Node& node,
                                             const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) return accepts_average_pool_quantised(region, node, target);
  if (is_float(region, node)) return accepts_average_pool_float(region, node, true);
  return accepts_pool_any(region, node, true);
}

bool lower_global_average_pool(Emitter& emitter, const codegen::Node& node) {
  if (emitter.input(node, 0)->quantised()) return lower_average_pool_quantised(emitter, node);
  if (is_float(emitter.region, node)) return lower_average_pool_float(emitter, node, true);
  return lower_pool_any(emitter, node, true);
}

}  // namespace byoc::c
