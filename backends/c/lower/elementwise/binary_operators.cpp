// The operators that are one C expression of two elements: a table. Definitions as in the ONNX operator documentation.
#include "backends/c/lower/elementwise/binary.hpp"

#include <algorithm>

#include "backends/c/lower/dense/bias.hpp"
#include "backends/c/lower/elementwise/pair_quantised.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

struct BinaryOperator {
  std::string_view op;
  BinaryFunction function;
};

constexpr BinaryFunction everywhere(std::string_view stem, std::string_view expression) {
  return {stem, expression, expression, expression, expression};
}
constexpr BinaryFunction wrapping(std::string_view stem, std::string_view real, std::string_view whole,
                                  std::string_view vector) {
  return {stem, real, whole, whole, {}, true, vector};
}

constexpr BinaryFunction kAdd = wrapping("add", "(u + v)", "BYOC_WRAP(u, +, v)", "vaddq_f32(u, v)");

// Where integers have no result (a division by zero, of the least value by -1), it is 0 or wraps around.
constexpr BinaryOperator kBinaryOperators[] = {
    {"Add", kAdd},
    {"And", {"and", "", "", "", "(u & v)"}},
    {"Atan2", {"atan2", "BYOC_F(atan2)(u, v)"}},
    {"BitwiseAnd", {"bitwise_and", "", "(u & v)", "(u & v)"}},
    {"BitwiseOr", {"bitwise_or", "", "(u | v)", "(u | v)"}},
    {"BitwiseXor", {"bitwise_xor", "", "(u ^ v)", "(u ^ v)"}},
    {"Div",
     {"div", "(u / v)", "(v == 0 ? 0 : v == -1 ? BYOC_WRAP(0, -, u) : u / v)", "(v == 0 ? 0 : u / v)", "", true,
      "byoc_divide_vector(u, v)"}},
    {"Equal", everywhere("equal", "(u == v)")},
    {"Greater", everywhere("greater", "(u > v)")},
    {"FloorDiv", {"floor_div", "((BYOC_T)floor((double)u / (double)v))"}},
    {"FloorMod",
     {"floor_mod",
      "(BYOC_F(fmod)(u, v) + (BYOC_F(fmod)(u, v) != BYOC_C(0.0) && (v < BYOC_C(0.0)) != "
      "(BYOC_F(fmod)(u, v) < BYOC_C(0.0)) ? v : BYOC_C(0.0)))"}},
    {"GreaterOrEqual", everywhere("greater_or_equal", "(u >= v)")},
    {"Less", everywhere("less", "(u < v)")},
    {"LessOrEqual", everywhere("less_or_equal", "(u <= v)")},
    {"Max",
     {"max", "(u < v || v != v ? v : u)", "(u < v ? v : u)", "(u < v ? v : u)", "", false, "byoc_most_vector(u, v)"}},
    {"Mean", kAdd},
    {"Min",
     {"min", "(u < v || u != u ? u : v)", "(u < v ? u : v)", "(u < v ? u : v)", "", false, "byoc_least_vector(u, v)"}},
    {"Mul", wrapping("mul", "(u * v)", "BYOC_WRAP(u, *, v)", "vmulq_f32(u, v)")},
    {"NotEqual", everywhere("not_equal", "(u != v)")},
    {"Or", {"or", "", "", "", "(u | v)"}},
    {"PRelu",
     {"prelu", "(u < BYOC_C(0.0) ? u * v : u)", "(u < 0 ? BYOC_WRAP(u, *, v) : u)", "((void)v, u)", "", false,
      "byoc_below_zero_vector(u, vmulq_f32(u, v))"}},
    {"RightShift",
     {"right_shift", "", "(u < 0 ? ~(~u >> byoc_shift_count(v, sizeof u)) : u >> byoc_shift_count(v, sizeof u))",
      "(u >> (v < sizeof u * 8 ? v : sizeof u * 8 - 1))"}},
    {"SquaredDifference",
     {"squared_difference", "((u - v) * (u - v))", "BYOC_WRAP(BYOC_WRAP(u, -, v), *, BYOC_WRAP(u, -, v))",
      "BYOC_WRAP(BYOC_WRAP(u, -, v), *, BYOC_WRAP(u, -, v))"}},
    {"Sub", wrapping("sub", "(u - v)", "BYOC_WRAP(u, -, v)", "vsubq_f32(u, v)")},
    {"Sum", kAdd},
    {"Xor", {"xor", "", "", "", "(u ^ v)"}},
};

// Functions that depend on an attribute.
constexpr BinaryFunction kShiftLeft{"shift_left", "", "", "(v >= sizeof u * 8 ? 0 : (BYOC_BITS)u << v)"};
constexpr BinaryFunction kShiftRight{"shift_right", "", "", "(v >= sizeof u * 8 ? 0 : u >> v)"};
// The sign of the result is the divisor's, or with fmod the dividend's.
constexpr BinaryFunction kMod{"mod", "",
                              "(v == 0 || v == -1 ? 0 : u % v + (u % v != 0 && (u % v < 0) != (v < 0) ? v : 0))",
                              "(v == 0 ? 0 : u % v)"};
constexpr BinaryFunction kRemainder{"remainder", "BYOC_F(fmod)(u, v)", "(v == 0 || v == -1 ? 0 : u % v)",
                                    "(v == 0 ? 0 : u % v)"};

const BinaryFunction& function_of(const Node& node) {
  if (node.op == "BitShift") return node.text("direction", "") == "LEFT" ? kShiftLeft : kShiftRight;
  if (node.op == "Mod") return node.integer("fmod", 0) != 0 ? kRemainder : kMod;
  return std::find_if(std::begin(kBinaryOperators), std::end(kBinaryOperators),
                      [&](const BinaryOperator& o) { return o.op == node.op; })
      ->function;
}

// The kernels over tables take 8 bits and four dims; what they do not take, and all other operators, the general one.
codegen::Verdict accepts_quantised(const Region& region, const Node& node, const TargetSpec& target, bool& by_tables) {
  codegen::Verdict tables = refuse(Reason::unsupported_quantisation, "found quantised operands, expected plain ones");
  if (node.op == "Add") tables = accepts_add_quantised(region, node, target);
  if (node.op == "Sub") tables = accepts_sub_quantised(region, node, target);
  if (node.op == "Mul") tables = accepts_mul_quantised(region, node, target);
  by_tables = tables.claimed;
  if (by_tables || region.requant != Requant::tflite) return tables;
  return accepts_pair_quantised(region, node);
}

// A product by tables takes four times the instructions of one in vectors.
bool multiplies_in_vectors(const Region& region, const Node& node, const TargetSpec& target, Objective objective) {
  return node.op == "Mul" && takes_pair_vectors(target, objective) && accepts_pair_quantised(region, node).claimed;
}

}  // namespace

codegen::Verdict accepts_binary(const Region& region, const Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) {
    if (region.requant == Requant::onnx && node.op == "Div") return accepts_div_quantised(region, node, target);
    bool by_tables = false;
    return accepts_quantised(region, node, target, by_tables);
  }
  if (node.op == "BitShift" && node.text("direction", "") != "LEFT" && node.text("direction", "") != "RIGHT")
    return refuse(Reason::unsupported_attribute,
                  "found direction \"" + node.text("direction", "") + "\", expected LEFT or RIGHT");
  if (node.op == "Mean" && !is_float_type(region.values[node.inputs[0]].dtype))
    return refuse_dtype(region.values[node.inputs[0]].dtype, "f16, bf16, f32, f64");
  if (node.inputs.size() == 1 && !region.symbols.empty())
    return refuse(Reason::unsupported_op, "found one operand, which needs no step");
  const DType t = region.values[node.inputs[0]].dtype;
  for (codegen::ValueId v : node.inputs)
    if (region.values[v].dtype != t) return refuse_dtype(region.values[v].dtype, to_string(t));
  return accepts_binary_function(region, node, function_of(node));
}

bool lower_binary(Emitter& emitter, const Node& node) {
  if (emitter.input(node, 0)->quantised()) {
    if (emitter.region.requant == Requant::onnx && node.op == "Div") return lower_div_quantised(emitter, node);
    bool by_tables = false;
    (void)accepts_quantised(emitter.region, node, emitter.target, by_tables);
    if (!by_tables || multiplies_in_vectors(emitter.region, node, emitter.target, emitter.objective))
      return lower_pair_quantised(emitter, node);
    if (node.op == "Add") return lower_add_quantised(emitter, node);
    if (node.op == "Sub") return lower_sub_quantised(emitter, node);
    return lower_mul_quantised(emitter, node);
  }
  if (node.inputs.size() == 1) {
    emitter.alias(node.outputs[0], node.inputs[0]);
    return true;
  }
  if (node.op == "Add" && bias_is_fused(emitter, node)) return true;
  std::vector<BinaryCall> calls;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) calls.push_back({&function_of(node), node.inputs[i]});
  const auto count = static_cast<std::int64_t>(node.inputs.size());
  return lower_binary_calls(emitter, node, node.inputs[0], calls, node.op == "Mean" ? count : 1);
}

}  // namespace byoc::c
