// IsInf: of either sign, or of one.
#include "backends/c/lower/elementwise/unary.hpp"
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {
namespace {

// a: negative ones count, b: positive ones.
constexpr UnaryFunction kIsInf{"is_inf", "((v <= BYOC_LOWEST && a > 0) || (v >= BYOC_LARGEST && b > 0))"};

}  // namespace

codegen::Verdict accepts_is_inf(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  return accepts_unary_function(region, node, kIsInf);
}

bool lower_is_inf(Emitter& emitter, const codegen::Node& node) {
  const auto flag = [&](const char* attribute) { return node.integer(attribute, 1) != 0 ? "1" : "0"; };
  return lower_unary_function(emitter, node, kIsInf, flag("detect_negative"), flag("detect_positive"));
}

}  // namespace byoc::c
