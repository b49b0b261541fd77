// MaxPool.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/pool/pool.hpp"

namespace byoc::c {

codegen::Verdict accepts_max_pool(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_any_max_pool(region, node, false);
}

bool lower_max_pool(Emitter& emitter, const codegen::Node& node) { return lower_any_max_pool(emitter, node, false); }

}  // namespace byoc::c
