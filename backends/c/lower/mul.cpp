// Mul: by the type of its values.
#include "backends/c/lower/binary.hpp"
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {

codegen::Verdict accepts_mul(const codegen::Region& region, const codegen::Node& node, const TargetSpec& target) {
  return accepts_binary_float(region, node, target);
}

bool lower_mul(Emitter& emitter, const codegen::Node& node) { return lower_binary_float(emitter, node); }

}  // namespace byoc::c
