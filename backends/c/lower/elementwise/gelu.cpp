// Gelu. Both forms are written so that the tail is no difference of nearly equal numbers.
#include "backends/c/lower/elementwise/unary.hpp"
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {
namespace {

constexpr UnaryFunction kExact{.stem = "gelu",
                               .real = "(BYOC_C(0.5) * v * BYOC_F(erfc)(v * BYOC_C(-0.70710678118654752)))",
                               .vector = "byoc_gelu_vector(v)"};
// x * (1 + tanh(z)) / 2 with z = sqrt(2 / pi) * (x + 0.044715 * x^3)
constexpr UnaryFunction kTanh{
    .stem = "gelu_tanh",
    .real = "(v / (BYOC_C(1.0) + BYOC_F(exp)(BYOC_C(-1.5957691216057308) * (v + BYOC_C(0.044715) * v * v * v))))",
    .vector = "byoc_gelu_tanh_vector(v)"};

}  // namespace

codegen::Verdict accepts_gelu(const codegen::Region& region, const codegen::Node& node, const TargetSpec&) {
  const std::string approximate = node.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return refuse(codegen::Reason::unsupported_attribute,
                  "found approximate \"" + approximate + "\", expected none or tanh");
  return accepts_unary_function(region, node, kExact);
}

bool lower_gelu(Emitter& emitter, const codegen::Node& node) {
  return lower_unary_function(emitter, node, node.text("approximate", "none") == "tanh" ? kTanh : kExact);
}

}  // namespace byoc::c
