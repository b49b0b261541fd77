#include "backends/c/lower/quantise/quantise_any.hpp"

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/quantise/scale_operands.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/small_element.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

struct QuantiseParameters {
  AroundAxis around;
  std::int64_t block = 1, outer = 0, axis = 0, inner = 0;  // steps of the parameters
};

std::optional<QuantiseParameters> read_quantise_parameters(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& scale = region.values[node.inputs[1]];
  const std::int64_t rank = static_cast<std::int64_t>(x.dims.size());
  std::int64_t axis = node.integer("axis", 1);
  if (axis < 0) axis += rank;
  QuantiseParameters p;
  const std::int64_t block = node.integer("block_size", 0);
  if (scale.dims.size() <= 1 && scale.elements() == 1 && block == 0) {
    p.around.inner = x.elements();
    return p;
  }
  if (axis < 0 || axis >= rank) {
    why = "found axis " + std::to_string(axis) + " of " + shape_text(x);
    return std::nullopt;
  }
  p.around = around(x.dims, static_cast<std::size_t>(axis));
  if (block == 0) {
    p.axis = 1;
    if (scale.dims.size() == 1 && p.around.axis == scale.elements()) return p;
  } else {
    const std::int64_t blocks = (p.around.axis.known() + block - 1) / block;
    p.block = block;
    p.inner = 1;
    p.axis = p.around.inner.known();
    p.outer = blocks * p.axis;
    if (p.around.outer * p.outer == scale.elements()) return p;
  }
  why = "found a scale of " + shape_text(scale) + " for " + shape_text(x);
  return std::nullopt;
}

// Integers that tensors are quantised to: those of whole bytes, and smaller ones.
std::optional<ElementRange> integer_range(DType t) {
  if (!is_small(t) || small_float(t) != nullptr) return element_range(t);
  const bool is_signed = element_row(t).kind == ElementKind::whole;
  const std::int64_t count = std::int64_t{1} << bit_width(t);
  return ElementRange{is_signed ? -count / 2 : 0, is_signed ? count / 2 - 1 : count - 1};
}

// Floats that tensors are quantised to.
bool is_real_step(DType t) { return small_float(t) != nullptr && t != DType::f8e8m0; }

// The precision that is asked for, where it is less than that of float: "f16", "bf16" or "".
std::string precision_of(const Node& node) {
  const std::int64_t number = node.integer("precision", 0);  // ONNX's
  return number == 10 ? "f16" : number == 16 ? "bf16" : "";
}

void define_division(Kernel& kernel, const std::string& precision) {
  const auto rounded = [&](const std::string& v) {
    return precision.empty() ? "(" + v + ")" : "byoc_load_" + precision + "(byoc_store_" + precision + "(" + v + "))";
  };
  kernel.defines["BYOC_DIVIDE(u, v)"] = rounded(rounded("u") + " / " + rounded("v"));
}

void define_quantising(Kernel& kernel, const Node& node, DType x, DType scale, DType y) {
  const std::string precision = precision_of(node);
  const SmallRounding rounding = rounding_of(node, y);
  kernel.symbol = typed_symbol("quantise_any", {x, scale, y}) + rounding_suffix(y, rounding) +
                  (precision.empty() ? "" : "_in_" + precision);
  kernel.defines["BYOC_QUANTISE"] = "1";
  define_division(kernel, precision);
  define_indexed(kernel, "BYOC_Y", y, rounding);
  if (is_real_step(y)) return;
  const ElementRange range = *integer_range(y);
  kernel.defines["BYOC_LOW"] = "(" + std::to_string(range.low) + ")";
  kernel.defines["BYOC_HIGH"] = std::to_string(range.high);
}

}  // namespace

Verdict accepts_quantise_any(const Region& region, const Node& node) {
  const bool quantises = node.op == "QuantizeLinear";
  const Value& x = region.values[node.inputs[0]];
  const Value& scale = region.values[node.inputs[1]];
  const Value& y = region.values[node.outputs[0]];
  const DType whole = quantises ? y.dtype : x.dtype;
  const DType real = quantises ? x.dtype : y.dtype;
  const auto is_real = [](DType t) { return t == DType::f16 || t == DType::bf16 || t == DType::f32; };
  if ((!integer_range(whole) && !is_real_step(whole)) || (quantises && whole == DType::i32))
    return refuse_dtype(whole, quantises ? "an integer of at most 16 bits or a float of at most 8"
                                         : "an integer of at most 16 bits, i32 or a float of at most 8");
  if (!is_real(real) && !(quantises && real == DType::i32)) return refuse_dtype(real, "f16, bf16 or f32");
  if (!is_real(scale.dtype)) return refuse_dtype(scale.dtype, "a scale of f16, bf16 or f32");
  if (auto no = refuse_bad_scale(scale, quantises ? ScaleRange::divisor : ScaleRange::finite)) return *no;
  if (const Value* zero = given_input(region, node, 2); zero && zero->elements() != scale.elements())
    return refuse(Reason::unsupported_shape,
                  "found zero points " + shape_text(*zero) + ", expected " + shape_text(scale) + " as the scales");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  std::string why;
  if (!read_quantise_parameters(region, node, why)) return refuse(Reason::unsupported_shape, why);
  return claim();
}

bool lower_quantise_any(Emitter& emitter, const Node& node) {
  std::string why;
  const auto q = read_quantise_parameters(emitter.region, node, why);
  if (!q) return emitter.error(node, why);
  const bool quantises = node.op == "QuantizeLinear";
  const DType x = emitter.input(node, 0)->dtype, scale = emitter.input(node, 1)->dtype;
  const DType y = emitter.value(node.outputs[0]).dtype;
  Kernel kernel{"quantise_any.c", "", {}};
  define_indexed(kernel, "BYOC_X", x);
  define_element(kernel, "BYOC_S", scale);
  define_arithmetic(kernel, DType::f32);
  if (is_real_step(quantises ? y : x)) kernel.defines["BYOC_REAL"] = "1";
  std::vector<std::string> types{std::string(c_type(x)), std::string(c_type(scale))};
  if (quantises) {
    define_quantising(kernel, node, x, scale, y);
    types.emplace_back(c_type(y));
  } else {
    kernel.symbol = typed_symbol("dequantise_any", {x, scale});
  }
  ParameterText p;
  p.add("outer", q->around.outer).add("axis", q->around.axis).add("inner", q->around.inner).add("block", q->block);
  p.add("step_outer", q->outer).add("step_axis", q->axis).add("step_inner", q->inner);
  TypedStep s(emitter, node);
  const std::string parameters = s.parameters(p, "byoc_parameters_t");
  s.call(kernel, "byoc_quantise_any.h", quantises ? "BYOC_QUANTISE_ANY" : "BYOC_DEQUANTISE_ANY", types,
         {parameters, s.in(0), s.in(1), s.in(2), s.out(0)});
  return s.emit();
}

Verdict accepts_dynamic_quantize_linear(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (x.dtype != DType::f32) return refuse_dtype(x.dtype, "f32");
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
    if (i >= node.outputs.size() || node.outputs[i] == codegen::kNoValue)
      return refuse(Reason::unsupported_attribute,
                    "found output " + std::to_string(i) + " left out, expected all three");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

Verdict accepts_dynamic_quantize(const Region& region, const Node& node, const TargetSpec& target) {
  return accepts_dynamic_quantize_linear(region, node, target);
}

bool lower_dynamic_quantize(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const bool symmetric = node.integer("symmetric", 0) != 0;
  std::int64_t rows = 1;
  for (std::int64_t d = 0; d < node.integer("axis", 1); ++d) rows *= x.dims[static_cast<std::size_t>(d)];
  TypedStep s(emitter, node);
  const Kernel kernel{"dynamic_quantise_rows.c",
                      symmetric ? "byoc_dynamic_quantise_symmetric" : "byoc_dynamic_quantise_asymmetric",
                      {{"BYOC_SYMMETRIC", symmetric ? "1" : "0"}}};
  const std::string length = std::to_string(x.elements() / std::max<std::int64_t>(rows, 1));
  s.call(kernel, "byoc_quantise_any.h", "BYOC_DYNAMIC_QUANTISE_ROWS", {},
         {std::to_string(rows), length, s.in(0), s.out(0), s.out(1), s.out(2)});
  return s.emit();
}

bool lower_dynamic_quantize_linear(Emitter& emitter, const Node& node) {
  TypedStep s(emitter, node);
  s.step.kernel = emitter.kernel({"dynamic_quantise.c", "byoc_dynamic_quantise", {}});
  const std::string x = s.in(0), y = s.out(0), scale = s.out(1), zero = s.out(2);
  s.text.includes = {"byoc_quantise_any.h"};
  s.text.body = "  " + s.step.kernel + "(" + std::to_string(emitter.input(node, 0)->elements()) + ", " + x + ", " + y +
                ", " + scale + ", " + zero + ");\n";
  return s.emit();
}

}  // namespace byoc::c
