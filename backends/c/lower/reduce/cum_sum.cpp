// CumSum and CumProd along a constant axis.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/reduce/axis.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/typed_step.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Value;

namespace {

// TFLite adds up as ADD does: 20 bits more than the elements have, at twice their scale.
Multiplier cum_sum_scale(const Value& x, const Value& y) {
  const double twice = 2 * static_cast<double>(affine(x).scale);
  return quantise_multiplier(twice / ((1 << 20) * static_cast<double>(affine(y).scale)));
}

std::optional<codegen::Verdict> refuse_scales(const Region& region, const Value& x, const Value& y) {
  if (region.requant != Requant::tflite)
    return refuse(codegen::Reason::unsupported_quantisation, "found a quantised value, expected a plain tensor");
  if (auto no = refuse_unless_s8(x, "input")) return *no;
  if (auto no = refuse_unless_s8(y, "output")) return *no;
  if (const Multiplier m = cum_sum_scale(x, y); m.shift > 0)
    return refuse(codegen::Reason::unsupported_quantisation,
                  "found an output multiplier of 2^" + std::to_string(m.shift) + ", expected less than 1");
  return std::nullopt;
}

bool lower_cum_sum_s8(Emitter& emitter, const Node& node, const Axis& axis) {
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  const bool reverse = node.integer("reverse", 0) != 0;
  const Multiplier m = cum_sum_scale(x, y);
  TypedStep step(emitter, node);
  ParameterText p;
  p.add("outer", axis.outer).add("count", axis.count).add("inner", axis.inner);
  p.add("first", reverse ? (axis.count - 1) * axis.inner : 0).add("step", reverse ? -axis.inner : axis.inner);
  p.add("exclusive", std::int64_t{node.integer("exclusive", 0) != 0});
  p.add("start", -std::int64_t{affine(x).zero} * (1 << 19)).add("in_zero", affine(x).zero);
  p.add("multiplier", m.q).add("shift", m.shift).add("zero", affine(y).zero).add("min", -128).add("max", 127);
  step.step.kernel = emitter.kernel({"cum_sum_s8.c", "byoc_cum_sum_s8", {}});
  step.text.includes = {"byoc_cum_sum_s8.h"};
  const std::string parameters = step.parameters(p, "byoc_cum_sum_s8_t");
  const std::string in = step.in(0);
  step.text.body = "  " + step.step.kernel + "(" + parameters + ", " + in + ", " + step.out(0) + ");\n";
  if (!step.step.inputs.empty()) step.step.overlays = {{.output = 0, .input = 0}};
  return step.emit();
}

}  // namespace

codegen::Verdict accepts_cum_sum(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& axis = region.values[node.inputs[1]];
  if (x.quantised() && node.op == "CumProd")
    return refuse(codegen::Reason::unsupported_quantisation, "found a quantised value, expected a plain tensor");
  if (x.quantised()) {
    if (auto no = refuse_scales(region, x, region.values[node.outputs[0]])) return *no;
  } else if (!is_float_type(x.dtype) && !is_integer_type(x.dtype)) {
    return refuse_dtype(x.dtype, "a number");
  }
  if (!axis.is_constant || axis.elements() != 1)
    return refuse(codegen::Reason::not_constant, "found a computed axis, expected a constant");
  if (auto no = refuse_axis(x, static_cast<std::int64_t>(real_element(axis, 0)))) return *no;
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_cum_sum(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const auto axis = static_cast<std::int64_t>(real_element(*emitter.input(node, 1), 0));
  if (x.quantised()) return lower_cum_sum_s8(emitter, node, split_at(x, axis));
  const bool exclusive = node.integer("exclusive", 0) != 0, reverse = node.integer("reverse", 0) != 0;
  const bool product = node.op == "CumProd";
  Kernel kernel{"cum_sum.c",
                std::string(product ? "byoc_cum_prod_" : "byoc_cum_sum_") + (exclusive ? "exclusive_" : "") +
                    (reverse ? "reverse_" : "") + std::string(to_string(x.dtype)),
                {}};
  define_element(kernel, "BYOC_X", x.dtype);
  const ElementType e = *element_type(x.dtype);
  kernel.defines["BYOC_SUM"] = e.is_float() ? e.work : e.bits;
  if (exclusive) kernel.defines["BYOC_EXCLUSIVE"] = "1";
  if (reverse) kernel.defines["BYOC_REVERSE"] = "1";
  if (product) kernel.defines["BYOC_PRODUCT"] = "1";
  return lower_along_axis(emitter, node, kernel, split_at(x, axis), true);
}

}  // namespace byoc::c
