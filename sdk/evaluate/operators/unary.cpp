// Element-wise functions of one operand: a table.
#include <array>
#include <cmath>
#include <limits>

#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/elementwise.hpp"
#include "sdk/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

struct Function {
  std::string_view op;
  double (*f)(double);
};

constexpr std::array kFunctions = {
    Function{"Abs", [](double x) { return std::fabs(x); }},
    Function{"Ceil", [](double x) { return std::ceil(x); }},
    Function{"Erf", [](double x) { return std::erf(x); }},
    Function{"Exp", [](double x) { return std::exp(x); }},
    Function{"Floor", [](double x) { return std::floor(x); }},
    Function{"Log", [](double x) { return std::log(x); }},
    Function{"Neg", [](double x) { return -x; }},
    Function{"Reciprocal", [](double x) { return 1 / x; }},
    Function{"Sqrt", [](double x) { return std::sqrt(x); }},
};

// Abs and Neg of plain integers; the smallest one stays itself, as two's complement has it.
Outcome integer_sign(const Call& call) {
  const Tensor& x = call.in(0);
  Result<Buffer> y = call.allocate(x.type.dtype, *x.type.dims);
  if (!y) return failure;
  const bool negates = call.node.op == "Neg";
  (void)dispatch(x.type.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const std::span<const T> in = elements<T>(x);
      const std::span<T> out = y->as<T>();
      for (std::size_t i = 0; i < in.size(); ++i)
        out[i] = negates || in[i] < T{0} ? static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(in[i])) : in[i];
    }
  });
  return single(std::move(*y));
}

}  // namespace

Outcome unary(const Call& call) {
  const bool has_integers = call.node.op == "Abs" || call.node.op == "Neg";
  if (has_integers && is_integer(call.in(0).type.dtype) && !is_quantised(call)) return integer_sign(call);
  for (const Function& function : kFunctions)
    if (function.op == call.node.op) return map_reals(call, function.f);
  return call.error("no such function of one operand", call.node.op);
}

}  // namespace byoc::evaluate
