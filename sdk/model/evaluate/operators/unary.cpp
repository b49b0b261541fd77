// Element-wise functions of one operand: a table.
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/elementwise.hpp"
#include "sdk/model/evaluate/operators/tflite.hpp"
#include "sdk/model/evaluate/operators/unary_tflite.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// A float attribute that the function takes.
struct Parameter {
  std::string_view attribute = {};
  float otherwise = 0;
};

struct UnaryFunction {
  std::string_view op;
  double (*f)(double x, double a, double b);
  Parameter a = {}, b = {};
};

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double sign(double x) { return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0)); }
double unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

constexpr std::array kUnaryFunctions = {
    UnaryFunction{"Abs", [](double x, double, double) { return std::fabs(x); }},
    UnaryFunction{"Acos", [](double x, double, double) { return std::acos(x); }},
    UnaryFunction{"Acosh", [](double x, double, double) { return std::acosh(x); }},
    UnaryFunction{"Asin", [](double x, double, double) { return std::asin(x); }},
    UnaryFunction{"Asinh", [](double x, double, double) { return std::asinh(x); }},
    UnaryFunction{"Atan", [](double x, double, double) { return std::atan(x); }},
    UnaryFunction{"Atanh", [](double x, double, double) { return std::atanh(x); }},
    UnaryFunction{"Binarizer", [](double x, double a, double) { return x > a ? 1.0 : 0.0; }, {"threshold", 0}},
    UnaryFunction{"Ceil", [](double x, double, double) { return std::ceil(x); }},
    UnaryFunction{"Celu", [](double x, double a, double) { return x < 0 ? a * std::expm1(x / a) : x; }, {"alpha", 1}},
    UnaryFunction{"Cos", [](double x, double, double) { return std::cos(x); }},
    UnaryFunction{"Cosh", [](double x, double, double) { return std::cosh(x); }},
    UnaryFunction{"Elu", [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }, {"alpha", 1}},
    UnaryFunction{"Erf", [](double x, double, double) { return std::erf(x); }},
    UnaryFunction{"Exp", [](double x, double, double) { return std::exp(x); }},
    UnaryFunction{"Floor", [](double x, double, double) { return std::floor(x); }},
    UnaryFunction{
        "HardSigmoid", [](double x, double a, double b) { return unit(a * x + b); }, {"alpha", 0.2F}, {"beta", 0.5F}},
    UnaryFunction{"HardSwish", [](double x, double, double) { return x * unit(x / 6 + 0.5); }},
    UnaryFunction{"Log", [](double x, double, double) { return std::log(x); }},
    UnaryFunction{"Mish", [](double x, double, double) { return x * std::tanh(softplus(x)); }},
    UnaryFunction{"Neg", [](double x, double, double) { return -x; }},
    UnaryFunction{"Reciprocal", [](double x, double, double) { return 1 / x; }},
    UnaryFunction{"Round", [](double x, double, double) { return std::nearbyint(x); }},  // halves to even
    UnaryFunction{"Selu",
                  [](double x, double a, double b) { return b * (x > 0 ? x : a * std::expm1(x)); },
                  {"alpha", 1.67326319217681884765625F},
                  {"gamma", 1.05070102214813232421875F}},
    UnaryFunction{"Shrink",
                  [](double x, double a, double b) { return x < -a  ? x + b
                                                            : x > a ? x - b
                                                                    : 0; },
                  {"lambd", 0.5F},
                  {"bias", 0}},
    UnaryFunction{"Sign", [](double x, double, double) { return sign(x); }},
    UnaryFunction{"Sin", [](double x, double, double) { return std::sin(x); }},
    UnaryFunction{"Sinh", [](double x, double, double) { return std::sinh(x); }},
    UnaryFunction{"Softplus", [](double x, double, double) { return softplus(x); }},
    UnaryFunction{"Softsign", [](double x, double, double) { return x / (1 + std::fabs(x)); }},
    UnaryFunction{"Sqrt", [](double x, double, double) { return std::sqrt(x); }},
    UnaryFunction{"Swish", [](double x, double a, double) { return x / (1 + std::exp(-a * x)); }, {"alpha", 1}},
    UnaryFunction{"Tan", [](double x, double, double) { return std::tan(x); }},
    UnaryFunction{"ThresholdedRelu", [](double x, double a, double) { return x > a ? x : 0; }, {"alpha", 1}},
};

// Abs, Binarizer, Neg, Sign and Shrink of plain integers; the smallest one stays itself, as two's complement has it.
template <class T>
T integer_function(const Call& call, T x) {
  const T opposite = static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(x));
  if (call.node.op == "Neg") return opposite;
  if (call.node.op == "Abs") return x < T{0} ? opposite : x;
  if (call.node.op == "Sign") return static_cast<T>((x > T{0}) - (x < T{0}));
  if (call.node.op == "Binarizer") return T{widen(x) > static_cast<double>(call.node.real("threshold", 0))};
  const double lambda = static_cast<double>(call.node.real("lambd", 0.5F));
  const double bias = static_cast<double>(call.node.real("bias", 0));
  const double value = widen(x);
  return narrow<T>(value < -lambda ? value + bias : value > lambda ? value - bias : 0);
}

Outcome map_integers(const Call& call) {
  const Tensor& x = call.in(0);
  Result<Buffer> y = call.allocate(x.type.dtype, *x.type.dims);
  if (!y) return failure;
  (void)dispatch(x.type.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const std::span<const T> in = elements<T>(x);
      const std::span<T> out = y->as<T>();
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = integer_function<T>(call, in[i]);
    }
  });
  return single(std::move(*y));
}

}  // namespace

Outcome unary(const Call& call) {
  const std::string& op = call.node.op;
  if (is_quantised(call) && call.tflite() && op == "Elu") return elu_tflite(call);
  if (is_quantised(call) && call.tflite() && op == "HardSwish") return hard_swish_tflite(call);
  if (op == "Abs" && is_quantised(call) && call.tflite()) return abs_tflite(call);
  const bool has_integers = op == "Abs" || op == "Binarizer" || op == "Neg" || op == "Sign" || op == "Shrink";
  if (has_integers && is_integer(call.in(0).type.dtype) && !is_quantised(call)) return map_integers(call);
  for (const UnaryFunction& function : kUnaryFunctions) {
    if (function.op != op) continue;
    const auto read = [&](const Parameter& p) {
      return p.attribute.empty() ? 0.0 : static_cast<double>(call.node.real(p.attribute, p.otherwise));
    };
    const double a = read(function.a), b = read(function.b);
    return map_reals(call, [&](double x) { return function.f(x, a, b); });
  }
  return call.error("no such function of one operand", op);
}

// Uses erfc and no difference of nearly equal numbers, so that the tail is exact.
Outcome gelu(const Call& call) {
  const std::string approximate = call.node.text("approximate", "none");
  if (approximate == "none")
    return map_reals(call, [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); });
  if (approximate != "tanh") return call.error("attribute approximate is not known", approximate, "none or tanh");
  return map_reals(call, [](double x) {
    const double z = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return x / (1 + std::exp(-2 * z));  // x * (1 + tanh(z)) / 2
  });
}

}  // namespace byoc::evaluate
