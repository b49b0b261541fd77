// The operators that are one C expression of an element: a table. Definitions as in the ONNX operator documentation.
#include <algorithm>

#include "backends/c/lower/elementwise/activation_quantised.hpp"
#include "backends/c/lower/elementwise/unary.hpp"
#include "backends/c/lower/elementwise/unary_quantised.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;

// A float attribute that becomes a parameter of the function.
struct UnaryParameter {
  std::string_view attribute = {};
  float otherwise = 0.0f;
};

struct UnaryOperator {
  std::string_view op;
  UnaryFunction function;
  UnaryParameter a = {}, b = {};
};

constexpr UnaryOperator kUnaryOperators[] = {
    {"Abs", {"abs", "BYOC_F(fabs)(v)", "(v < 0 ? BYOC_WRAP(0, -, v) : v)", "v", "", false, "vabsq_f32(v)"}},
    {"Acos", {"acos", "BYOC_F(acos)(v)"}},
    {"Acosh", {"acosh", "BYOC_F(acosh)(v)"}},
    {"Asin", {"asin", "BYOC_F(asin)(v)"}},
    {"Asinh", {"asinh", "BYOC_F(asinh)(v)"}},
    {"Atan", {"atan", "BYOC_F(atan)(v)"}},
    {"Atanh", {"atanh", "BYOC_F(atanh)(v)"}},
    {"Binarizer",
     {"binarizer", "(v > a ? BYOC_C(1.0) : BYOC_C(0.0))", "(v > a)", "(v > a)", "", true},
     {"threshold", 0.0f}},
    {"BitwiseNot", {"bitwise_not", "", "(~v)", "(~v)"}},
    {"Ceil", {.stem = "ceil", .real = "BYOC_F(ceil)(v)", .vector = "vrndpq_f32(v)"}},
    {"Celu", {"celu", "(v < BYOC_C(0.0) ? a * BYOC_F(expm1)(v / a) : v)"}, {"alpha", 1.0f}},
    {"Cos", {"cos", "BYOC_F(cos)(v)"}},
    {"Cosh", {"cosh", "BYOC_F(cosh)(v)"}},
    {"Elu",
     {.stem = "elu",
      .real = "(v < BYOC_C(0.0) ? a * BYOC_F(expm1)(v) : v)",
      .vector = "byoc_below_zero_vector(v, vmulq_n_f32(byoc_exp_less_one_vector(v), a))"},
     {"alpha", 1.0f}},
    {"Erf", {.stem = "erf", .real = "BYOC_F(byoc_erf)(v)", .vector = "byoc_erf_vector(v)"}},
    {"Exp", {.stem = "exp", .real = "BYOC_F(exp)(v)", .vector = "byoc_exp_vector(v)"}},
    {"FakeQuantize",
     {"fake_quantize", "(BYOC_F(round)((v - b) * (BYOC_C(1.0) / a)) * a + b)"},
     {"scale", 1.0f},
     {"offset", 0.0f}},
    {"Floor", {.stem = "floor", .real = "BYOC_F(floor)(v)", .vector = "vrndmq_f32(v)"}},
    {"HardSigmoid",
     {.stem = "hard_sigmoid",
      .real = "byoc_unit(a * v + b)",
      .vector = "byoc_unit_vector(vfmasq_n_f32(v, vdupq_n_f32(a), b))"},
     {"alpha", 0.2f},
     {"beta", 0.5f}},
    {"HardSwish",
     {.stem = "hard_swish",
      .real = "(v * byoc_unit(v / BYOC_C(6.0) + BYOC_C(0.5)))",
      .vector = "vmulq_f32(v, byoc_unit_vector(vfmasq_n_f32(v, vdupq_n_f32(1.0f / 6.0f), 0.5f)))"}},
    {"IsNaN", {"is_nan", "(v != v)"}},
    {"LeakyRelu",
     {.stem = "leaky_relu",
      .real = "(v < BYOC_C(0.0) ? a * v : v)",
      .vector = "byoc_below_zero_vector(v, vmulq_n_f32(v, a))"},
     {"alpha", 0.01f}},
    {"Log", {.stem = "log", .real = "BYOC_F(log)(v)", .vector = "byoc_log_vector(v)"}},
    {"Mish", {.stem = "mish", .real = "(v * BYOC_F(tanh)(byoc_softplus(v)))", .vector = "byoc_mish_vector(v)"}},
    {"Neg", {.stem = "neg", .real = "(-v)", .whole = "BYOC_WRAP(0, -, v)", .vector = "vnegq_f32(v)"}},
    {"Not", {"not", "", "", "", "(!v)"}},
    {"Reciprocal",
     {.stem = "reciprocal", .real = "(BYOC_C(1.0) / v)", .vector = "byoc_divide_vector(vdupq_n_f32(1.0f), v)"}},
    {"Relu",
     {"relu", "(v < BYOC_C(0.0) ? BYOC_C(0.0) : v)", "(v < 0 ? 0 : v)", "v", "", false, "byoc_at_least(v, 0.0f)"}},
    {"Round", {.stem = "round", .real = "BYOC_F(rint)(v)", .vector = "vrndnq_f32(v)"}},
    {"Rsqrt", {"rsqrt", "(BYOC_C(1.0) / BYOC_F(sqrt)(v))"}},
    {"Selu",
     {.stem = "selu",
      .real = "(b * (v > BYOC_C(0.0) ? v : a * BYOC_F(expm1)(v)))",
      .vector = "vmulq_n_f32(byoc_below_zero_vector(v, vmulq_n_f32(byoc_exp_less_one_vector(v), a)), b)"},
     {"alpha", 1.67326319217681884765625f},
     {"gamma", 1.05070102214813232421875f}},
    {"Shrink",
     {"shrink", "(v < -a ? v + b : v > a ? v - b : BYOC_C(0.0))",
      "BYOC_F(byoc_saturate)(v < -a ? v + b : v > a ? v - b : BYOC_C(0.0))",
      "BYOC_F(byoc_saturate)(v < -a ? v + b : v > a ? v - b : BYOC_C(0.0))", "", true},
     {"lambd", 0.5f},
     {"bias", 0.0f}},
    {"Sigmoid",
     {.stem = "sigmoid",
      .real = "(BYOC_C(1.0) / (BYOC_C(1.0) + BYOC_F(exp)(-v)))",
      .vector = "byoc_sigmoid_vector(v)"}},
    {"Sign",
     {"sign", "(v > BYOC_C(0.0) ? BYOC_C(1.0) : v < BYOC_C(0.0) ? BYOC_C(-1.0) : v == v ? BYOC_C(0.0) : v)",
      "((v > 0) - (v < 0))", "(v > 0)"}},
    {"Sin", {"sin", "BYOC_F(sin)(v)"}},
    {"Sinh", {"sinh", "BYOC_F(sinh)(v)"}},
    {"Softplus", {.stem = "softplus", .real = "byoc_softplus(v)", .vector = "byoc_softplus_vector(v)"}},
    {"Softsign",
     {.stem = "softsign",
      .real = "(v / (BYOC_C(1.0) + BYOC_F(fabs)(v)))",
      .vector = "byoc_divide_vector(v, vaddq_n_f32(vabsq_f32(v), 1.0f))"}},
    {"Sqrt", {"sqrt", "BYOC_F(sqrt)(v)"}},
    {"Swish",
     {.stem = "swish",
      .real = "(v / (BYOC_C(1.0) + BYOC_F(exp)(-a * v)))",
      .vector = "vmulq_f32(v, byoc_sigmoid_vector(vmulq_n_f32(v, a)))"},
     {"alpha", 1.0f}},
    {"Tan", {"tan", "BYOC_F(tan)(v)"}},
    {"Tanh", {.stem = "tanh", .real = "BYOC_F(tanh)(v)", .vector = "byoc_tanh_vector(v)"}},
    {"ThresholdedRelu",
     {.stem = "thresholded_relu",
      .real = "(v > a ? v : BYOC_C(0.0))",
      .vector = "vpselq_f32(v, vdupq_n_f32(0.0f), vcmpgtq_n_f32(v, a))"},
     {"alpha", 1.0f}},
};

const UnaryOperator* find_unary_operator(std::string_view op) {
  const auto* it = std::find_if(std::begin(kUnaryOperators), std::end(kUnaryOperators),
                                [&](const UnaryOperator& o) { return o.op == op; });
  return it == std::end(kUnaryOperators) ? nullptr : it;
}

}  // namespace

codegen::Verdict accepts_unary(const Region& region, const Node& node, const TargetSpec& target) {
  if (region.values[node.inputs[0]].quantised()) {
    if (region.requant == Requant::onnx) return accepts_lookup_onnx(region, node, target);
    if (is_activation(node)) return accepts_activation_quantised(region, node);
    if (node.op == "Abs" || node.op == "LeakyRelu") return accepts_piecewise(region, node);
    if (node.op == "Rsqrt") return accepts_rsqrt_quantised(region, node);
  }
  return accepts_unary_function(region, node, find_unary_operator(node.op)->function);
}

bool lower_unary(Emitter& emitter, const Node& node) {
  if (emitter.input(node, 0)->quantised()) {
    if (emitter.region.requant == Requant::onnx) return lower_lookup_onnx(emitter, node);
    if (is_activation(node)) return lower_activation_quantised(emitter, node);
    return node.op == "Rsqrt" ? lower_rsqrt_quantised(emitter, node) : lower_piecewise(emitter, node);
  }
  const UnaryOperator& o = *find_unary_operator(node.op);
  // Parameters of a function that computes in real numbers are real, whatever the operand.
  const DType dtype = emitter.input(node, 0)->dtype;
  const bool is_double = dtype == DType::f64 || (is_integer_type(dtype) && bit_width(dtype) >= 32);
  const DType type = is_double ? DType::f64 : DType::f32;
  const auto literal = [&](const UnaryParameter& p) {
    if (p.attribute.empty()) return std::string("0");
    return c_literal(type, static_cast<double>(node.real(p.attribute, p.otherwise)));
  };
  return lower_unary_function(emitter, node, o.function, literal(o.a), literal(o.b));
}

}  // namespace byoc::c
