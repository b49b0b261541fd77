// Pow: base and exponent may have different types; the result has the base's.
#include "backends/c/lower/elementwise/binary.hpp"
#include "backends/c/lower/elementwise/unary.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

// Integers wrap around; of negative exponents only the powers of 1 and -1 are not between -1 and 1.
constexpr std::string_view kWhole = "byoc_power(u, (uint64_t)v)";
constexpr std::string_view kNegatable =
    "(v >= 0 ? byoc_power(u, (uint64_t)v) : u == 1 ? 1 : u == -1 ? (v % 2 ? -1 : 1) : 0)";
constexpr std::string_view kNaturalNegatable = "(v >= 0 ? byoc_power(u, (uint64_t)v) : u == 1 ? 1U : 0U)";

BinaryFunction power_of(DType base, DType exponent) {
  BinaryFunction f{"pow"};
  if (is_float_type(base)) {
    const bool wide =
        base == DType::f64 || exponent == DType::f64 || (is_integer_type(exponent) && bit_width(exponent) >= 32);
    f.real = wide ? "pow((double)u, (double)v)" : "powf(u, (float)v)";
    if (wide && base != DType::f64) f.real = "(float)pow((double)u, (double)v)";
  } else if (is_float_type(exponent)) {
    f.whole = f.natural = "byoc_saturate(pow((double)u, (double)v))";
  } else {
    const bool negatable = element_type(exponent)->is_signed();
    f.whole = negatable ? kNegatable : kWhole;
    f.natural = negatable ? kNaturalNegatable : kWhole;
  }
  return f;
}

bool is_square(const Region& region, const Node& node) {
  const Value& v = region.values[node.inputs[1]];
  return v.is_constant && v.elements() == 1 && is_float_type(region.values[node.inputs[0]].dtype) &&
         region.values[node.inputs[0]].dims == region.values[node.outputs[0]].dims && real_element(v, 0) == 2;
}

}  // namespace

codegen::Verdict accepts_pow(const Region& region, const Node& node, const TargetSpec&) {
  for (const codegen::ValueId v : node.inputs) {
    const DType t = region.values[v].dtype;
    if (!is_float_type(t) && !is_integer_type(t)) return refuse_dtype(t, "a number of whole bytes");
  }
  const auto [base, exponent] = std::pair(region.values[node.inputs[0]].dtype, region.values[node.inputs[1]].dtype);
  BinaryFunction f = power_of(base, exponent);
  f.real = f.whole = f.natural = "pow";  // any two types go together
  return accepts_binary_function(region, node, f);
}

bool lower_pow(Emitter& emitter, const Node& node) {
  constexpr UnaryFunction kSquare{"square", "(v * v)"};
  if (is_square(emitter.region, node)) return lower_unary_function(emitter, node, kSquare);
  const BinaryFunction f = power_of(emitter.input(node, 0)->dtype, emitter.input(node, 1)->dtype);
  return lower_binary_calls(emitter, node, node.inputs[0], {{&f, node.inputs[1]}});
}

}  // namespace byoc::c
