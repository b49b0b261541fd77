// Equal, Less, LessOrEqual, Greater, GreaterOrEqual. A NaN equals nothing and is neither less nor greater.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/broadcasting.hpp"
#include "sdk/model/evaluate/operators/pairs_tflite.hpp"

namespace byoc::evaluate {
namespace {

template <class T>
bool compare(std::string_view op, T a, T b) {
  if (op == "Equal") return a == b;
  if (op == "Less") return a < b;
  if (op == "LessOrEqual") return a <= b;
  if (op == "Greater") return a > b;
  return a >= b;
}

}  // namespace

Outcome compare(const Call& call) {
  if (call.tflite() && call.quantisation_of(0) != nullptr && call.quantisation_of(1) != nullptr)
    return compare_tflite(call, [](std::string_view op, std::int32_t a, std::int32_t b) { return compare(op, a, b); });
  const Result<Dims> dims = broadcast_operands(call);
  if (!dims || !call.same_dtype(0, 1)) return failure;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (call.in(i).type.quantisation) return call.unsupported_dtype(i, "a tensor without quantisation");
  Result<Buffer> y = call.allocate(DType::boolean, *dims);
  if (!y) return failure;
  const bool known = dispatch(call.in(0).type.dtype, [&]<class T>() {
    for_each_pair<T, T, bool>(call, *dims, *y, [&](T a, T b) {
      if constexpr (kIsFloat<T>)
        return compare(call.node.op, widen(a), widen(b));
      else
        return compare(call.node.op, a, b);
    });
  });
  if (!known) return call.unsupported_dtype(0, "a type of whole bytes");
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
