// LpNormalization, and LRN: along one dim.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/reduce/many.hpp"
#include "backends/c/lower/step/element_type.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;

codegen::Verdict accepts_lp_normalization(const Region& region, const Node& node, const TargetSpec&) {
  if (auto no = refuse_unless_real(region, node)) return *no;
  return claim();
}

bool lower_lp_normalization(Emitter& emitter, const Node& node) {
  const codegen::Value& x = *emitter.input(node, 0);
  const std::int64_t axis = node.integer("axis", -1);
  const std::string power = std::to_string(node.integer("p", 2));
  Kernel kernel{"lp_normalise.c", typed_symbol("lp_normalise_" + power, {x.dtype}), {}};
  define_element(kernel, "BYOC_X", x.dtype);
  define_arithmetic(kernel, x.dtype);
  kernel.defines["BYOC_P"] = power;
  TypedStep s(emitter, node);
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(x.dims.size()) : axis);
  const AroundAxis parts = around(extents(x), at);
  sums_of(kernel, parts.axis);
  const std::string p = s.parameters(channel_parameters(parts), "byoc_channels_t");
  s.call(kernel, "byoc_normalise.h", "BYOC_LP_NORMALISE", {std::string(c_type(x.dtype))}, {p, s.in(0), s.out(0)});
  return s.emit();
}

codegen::Verdict accepts_lrn(const Region& region, const Node& node, const TargetSpec&) {
  if (auto no = refuse_unless_real(region, node)) return *no;
  return claim();
}

bool lower_lrn(Emitter& emitter, const Node& node) {
  const codegen::Value& x = *emitter.input(node, 0);
  const std::int64_t size = node.integer("size", 1);
  const double alpha = static_cast<double>(node.real("alpha", 0.0001f)) / static_cast<double>(size);
  Kernel kernel{"lrn.c", typed_symbol("lrn", {x.dtype}), {}};
  define_element(kernel, "BYOC_X", x.dtype);
  define_arithmetic(kernel, x.dtype);
  TypedStep s(emitter, node);
  const std::string p = s.parameters(channel_parameters(around(extents(x), 1)), "byoc_channels_t");
  s.call(kernel, "byoc_normalise.h", "BYOC_LRN",
         {std::string(c_type(x.dtype)), std::string(element_type(x.dtype)->work)},
         {p, std::to_string(size), c_literal(x.dtype, alpha),
          c_literal(x.dtype, static_cast<double>(node.real("beta", 0.75f))),
          c_literal(x.dtype, static_cast<double>(node.real("bias", 1.0f))), s.in(0), s.out(0)});
  return s.emit();
}

}  // namespace byoc::c
