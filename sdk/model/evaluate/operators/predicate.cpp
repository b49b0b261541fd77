// Questions about one element: IsNaN, IsInf, Not; and BitwiseNot.
#include <cmath>
#include <functional>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

Outcome ask(const Call& call, const std::function<bool(double)>& question) {
  if (!is_float(call.in(0).type.dtype)) return call.unsupported_dtype(0, "a float");
  Result<Buffer> y = call.allocate(DType::boolean, *call.in(0).type.dims);
  if (!y) return failure;
  const std::vector<double> x = reals(call.in(0));
  for (std::size_t i = 0; i < x.size(); ++i) y->as<bool>()[i] = question(x[i]);
  return single(std::move(*y));
}

}  // namespace

Outcome is_nan(const Call& call) {
  return ask(call, [](double x) { return std::isnan(x); });
}

Outcome is_inf(const Call& call) {
  const bool negative = call.node.integer("detect_negative", 1) != 0;
  const bool positive = call.node.integer("detect_positive", 1) != 0;
  return ask(call, [=](double x) { return std::isinf(x) && (x < 0 ? negative : positive); });
}

Outcome logical_not(const Call& call) {
  if (call.in(0).type.dtype != DType::boolean) return call.unsupported_dtype(0, "bool");
  Result<Buffer> y = call.allocate(DType::boolean, *call.in(0).type.dims);
  if (!y) return failure;
  const auto x = elements<bool>(call.in(0));
  for (std::size_t i = 0; i < x.size(); ++i) y->as<bool>()[i] = !x[i];
  return single(std::move(*y));
}

Outcome bitwise_not(const Call& call) {
  const DType dtype = call.in(0).type.dtype;
  if (!is_integer(dtype)) return call.unsupported_dtype(0, "an integer");
  Result<Buffer> y = call.allocate(dtype, *call.in(0).type.dims);
  if (!y) return failure;
  for (std::size_t i = 0; i < y->bytes.size(); ++i) y->bytes[i] = ~call.in(0).bytes.bytes()[i];
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
