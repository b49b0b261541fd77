// And, Or, Xor of bool; BitwiseAnd, BitwiseOr, BitwiseXor and BitShift of integers.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/broadcasting.hpp"

namespace byoc::evaluate {
namespace {

// `f` works on the bits of both operands.
Outcome combine_bits(const Call& call, bool (*accepts)(DType), const char* expected, auto&& f) {
  const Result<Dims> dims = broadcast_operands(call);
  if (!dims || !call.same_dtype(0, 1)) return failure;
  const DType dtype = call.in(0).type.dtype;
  if (!accepts(dtype)) return call.unsupported_dtype(0, expected);
  Result<Buffer> y = call.allocate(dtype, *dims);
  if (!y) return failure;
  (void)dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      for_each_pair<T, T, T>(call, *dims, *y, [&](T a, T b) {
        return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
      });
  });
  return single(std::move(*y));
}

bool is_bool(DType t) { return t == DType::boolean; }
bool is_unsigned(DType t) { return t == DType::u8 || t == DType::u16 || t == DType::u32 || t == DType::u64; }

}  // namespace

Outcome bits(const Call& call) {
  const std::string_view op = call.node.op;
  const bool logical = !op.starts_with("Bitwise");
  const auto accepts = logical ? is_bool : is_integer;
  const char* expected = logical ? "bool" : "an integer";
  if (op.ends_with("And")) return combine_bits(call, accepts, expected, std::bit_and<>{});
  if (op.ends_with("Xor")) return combine_bits(call, accepts, expected, std::bit_xor<>{});
  return combine_bits(call, accepts, expected, std::bit_or<>{});
}

// Shifting by as many bits as there are, or more, leaves none.
Outcome bit_shift(const Call& call) {
  const std::string direction = call.node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return call.error("attribute direction is not known", direction, "LEFT or RIGHT");
  return combine_bits(call, is_unsigned, "an unsigned integer", [&](std::uint64_t a, std::uint64_t b) -> std::uint64_t {
    if (b >= 64) return 0;
    return direction == "LEFT" ? a << b : a >> b;
  });
}

}  // namespace byoc::evaluate
