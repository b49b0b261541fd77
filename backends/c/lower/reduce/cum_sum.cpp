// CumSum and CumProd.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/reduce/axis.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/step_builder.hpp"
#include "backends/c/lower/step/typed_step.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Value;

namespace {

std::optional<codegen::Verdict> refuse_scales(const Region& region, const Value& x, const Value& y) {
  if (region.requant != Requant::tflite)
    return refuse(codegen::Reason::unsupported_quantisation, "found a quantised value, expected a plain tensor");
  if (auto no = refuse_unless_s8(x, "input")) return *no;
  if (auto no = refuse_unless_s8(y, "output")) return *no;
  if (const Multiplier m = tflite::cum_sum_multiplier(affine(x), affine(y)); m.shift > 0)
    return refuse(codegen::Reason::unsupported_quantisation,
                  "found an output multiplier of 2^" + std::to_string(m.shift) + ", expected less than 1");
  return std::nullopt;
}

bool lower_cum_sum_s8(Emitter& emitter, const Node& node, const Axis& axis) {
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  const bool reverse = node.integer("reverse", 0) != 0;
  const Multiplier m = tflite::cum_sum_multiplier(affine(x), affine(y));
  TypedStep step(emitter, node);
  ParameterText p;
  p.add("outer", axis.outer).add("count", axis.count).add("inner", axis.inner);
  const std::int64_t inner = axis.inner.known();
  p.add("first", reverse ? (axis.count.known() - 1) * inner : 0).add("step", reverse ? -inner : inner);
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

// The numbers that say an axis, of each, in a table.
bool lower_along_computed_axis(Emitter& emitter, const Node& node, const Kernel& kernel) {
  const Value& x = *emitter.input(node, 0);
  std::vector<std::int32_t> axes;
  for (std::size_t d = 0; d < std::max<std::size_t>(x.dims.size(), 1); ++d) {
    const Axis a = split_at(x, static_cast<std::int64_t>(d));
    for (const Extent& n : {a.outer, a.count, a.inner}) axes.push_back(static_cast<std::int32_t>(n.known()));
  }
  const std::string rank = std::to_string(axes.size() / 3), symbol = emitter.kernel(kernel);
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_axis.h");
  const std::string type(c_type(x.dtype));
  step.text.declarations.insert("BYOC_AXIS(" + symbol + ", " + type + ", " + type + ");");
  const std::string from = step.input(0), axis = step.input(1);
  const std::string table = step.table("axes", std::span<const std::int32_t>(axes)), to = step.output(0);
  step.line("const int64_t axis = *" + axis + " < 0 ? *" + axis + " + " + rank + " : *" + axis + ";");
  step.fail_if("axis < 0 || axis >= " + rank, reason::kAxis);
  step.line(symbol + "(" + table + "[3 * axis], " + table + "[3 * axis + 1], " + table + "[3 * axis + 2], " + from +
            ", " + to + ");");
  step.overlay(0, 0);
  step.finish(symbol);
  return true;
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
  if (axis.elements() != 1 || (!axis.is_constant && (x.quantised() || is_open(x))))
    return refuse(codegen::Reason::not_constant, "found a computed axis, expected a constant");
  if (axis.dtype != DType::i32 && axis.dtype != DType::i64) return refuse_dtype(axis.dtype, "i32 or i64");
  if (axis.is_constant)
    if (auto no = refuse_axis(x, static_cast<std::int64_t>(real_element(axis, 0)))) return *no;
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_cum_sum(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Value& axis = *emitter.input(node, 1);
  const std::int64_t known = axis.is_constant ? static_cast<std::int64_t>(real_element(axis, 0)) : 0;
  if (x.quantised()) return lower_cum_sum_s8(emitter, node, split_at(x, known));
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
  if (axis.is_constant) return lower_along_axis(emitter, node, kernel, split_at(x, known), true);
  return lower_along_computed_axis(emitter, node, kernel);
}

}  // namespace byoc::c
