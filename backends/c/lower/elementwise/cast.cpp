// Cast and CastLike between all types.
#include "backends/c/lower/elementwise/unary.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/small_element.hpp"
#include "backends/c/lower/step/typed_step.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

// Floats lose their fraction on the way to integers, which saturate; integers keep their low bits on the way to
// narrower ones; what is rounded, is rounded once.
std::string_view conversion(DType from, DType to) {
  if (to == DType::boolean) return "(v != 0)";
  const bool from_float = is_float_type(from);
  if (!is_float_type(to)) {
    if (!from_float) return "(v)";
    return from == DType::f64 ? "byoc_saturate(v)" : "byoc_saturatef(v)";
  }
  if (to == DType::f64) return "((double)(v))";
  const bool is_wide = from == DType::f64 || (!from_float && bit_width(from) >= 32);
  if (bit_width(to) == 16 && is_wide) return "byoc_round_to_odd((double)(v))";
  return "((float)(v))";
}

// Conversions where one of the types is small. Integers of fewer than 8 bits get the low bits; from floats, those of
// the nearest whole number.
std::string_view small_conversion(DType from, DType to) {
  const bool from_real = element_row(from).kind == ElementKind::real;
  if (element_row(to).kind == ElementKind::real) {
    const bool is_wide = from == DType::f64 || (!from_real && bit_width(from) >= 32);
    return to == DType::f64 ? "((double)(v))" : is_wide ? "byoc_round_to_odd((double)(v))" : "((float)(v))";
  }
  if (to == DType::boolean) return "(v != 0)";
  if (!from_real) return "(v)";
  if (bit_width(to) < 8) return from == DType::f64 ? "byoc_saturate(round(v))" : "byoc_saturatef(roundf(v))";
  return from == DType::f64 ? "byoc_saturate(v)" : "byoc_saturatef(v)";
}

bool lower_small_cast(Emitter& emitter, const Node& node, DType from, DType to) {
  const SmallRounding rounding = rounding_of(node, to);
  Kernel kernel{"convert.c",
                typed_symbol("convert", {from, to}) + rounding_suffix(to, rounding),
                {{"BYOC_FUNCTION", std::string(small_conversion(from, to))}}};
  const bool is_real = element_row(to).kind == ElementKind::real;
  define_arithmetic(kernel, element_type(to) ? to : is_real ? DType::f32 : DType::i32);
  define_indexed(kernel, "BYOC_X", from);
  define_indexed(kernel, "BYOC_Y", to, rounding);
  TypedStep s(emitter, node);
  const std::string x = s.in(0), y = s.out(0);
  s.call(kernel, "byoc_convert.h", "BYOC_CONVERT", {std::string(c_type(from)), std::string(c_type(to))},
         {elements(emitter.value(node.outputs[0])).text(), x, y});
  return s.emit();
}

}  // namespace

codegen::Verdict accepts_cast(const Region& region, const Node& node, const TargetSpec&) {
  for (const codegen::ValueId v : {node.inputs[0], node.outputs[0]}) {
    const Value& value = region.values[v];
    if (!element_type(value.dtype) && !is_small(value.dtype)) return refuse_dtype(value.dtype, "a known type");
    if (value.quantised())
      return refuse(codegen::Reason::unsupported_quantisation, "found a quantised value, expected a plain tensor");
  }
  if (!region.symbols.empty() && region.values[node.inputs[0]].dtype == region.values[node.outputs[0]].dtype)
    return refuse(codegen::Reason::unsupported_op, "found one type, which needs no step");
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_cast(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  if (x.dtype == y.dtype) {
    emitter.alias(node.outputs[0], node.inputs[0]);
    return true;
  }
  if (is_small(x.dtype) || is_small(y.dtype)) return lower_small_cast(emitter, node, x.dtype, y.dtype);
  codegen::Step step;
  StepText text;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  Kernel kernel{"unary.c",
                "byoc_cast_" + std::string(to_string(x.dtype)) + "_" + std::string(to_string(y.dtype)),
                {{"BYOC_FUNCTION", std::string(conversion(x.dtype, y.dtype))}}};
  define_arithmetic(kernel, y.dtype);
  step.kernel =
      add_unary_kernel_call(emitter, text, std::move(kernel), x.dtype, y.dtype, "int", {elements(y), from, "out0"});
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
