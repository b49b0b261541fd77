// The operators of two elements that exist for floats only: Div, Max, Min, Pow, PRelu, Sum.
#include "backends/c/lower/binary.hpp"
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {

codegen::Verdict accepts_binary(const codegen::Region& region, const codegen::Node& node, const TargetSpec& target) {
  return accepts_binary_float(region, node, target);
}

bool lower_binary(Emitter& emitter, const codegen::Node& node) { return lower_binary_float(emitter, node); }

}  // namespace byoc::c
