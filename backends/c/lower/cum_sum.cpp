// CumSum along a constant axis.
#include "backends/c/lower/axis.hpp"
#include "backends/c/lower/element_type.hpp"
#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_cum_sum(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& axis = region.values[node.inputs[1]];
  if (x.quantised())
    return refuse(codegen::Reason::unsupported_quantisation, "found a quantised value, expected a plain tensor");
  if (!is_float_type(x.dtype) && !is_integer_type(x.dtype)) return refuse_dtype(x.dtype, "a number");
  if (!axis.is_constant || axis.elements() != 1)
    return refuse(codegen::Reason::not_constant, "found a computed axis, expected a constant");
  if (auto no = refuse_axis(x, static_cast<std::int64_t>(real_element(axis, 0)))) return *no;
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_cum_sum(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const bool exclusive = node.integer("exclusive", 0) != 0, reverse = node.integer("reverse", 0) != 0;
  Kernel kernel{"cum_sum.c",
                std::string("byoc_cum_sum_") + (exclusive ? "exclusive_" : "") + (reverse ? "reverse_" : "") +
                    std::string(to_string(x.dtype)),
                {}};
  define_element(kernel, "BYOC_X", x.dtype);
  const ElementType e = *element_type(x.dtype);
  kernel.defines["BYOC_SUM"] = e.is_float() ? e.work : e.bits;
  if (exclusive) kernel.defines["BYOC_EXCLUSIVE"] = "1";
  if (reverse) kernel.defines["BYOC_REVERSE"] = "1";
  const auto axis = static_cast<std::int64_t>(real_element(*emitter.input(node, 1), 0));
  return lower_along_axis(emitter, node, kernel, split_at(x, axis), true);
}

}  // namespace byoc::c
