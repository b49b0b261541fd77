// byoc.SignalFilterBankSquareRoot: square roots of 64-bit integers, rounded, shifted right by a number found at run
// time.
#include <cmath>

#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {
namespace {

// The nearest integer; where that has a bit more than half of x's, the one below.
std::uint64_t rounded_root(std::uint64_t x) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(x)));
  while (root != 0 && root > x / root) --root;
  while (root + 1 <= x / (root + 1)) ++root;
  const std::uint64_t largest = x >> 32 == 0 ? 0xffff : 0xffffffff;
  return x - root * root > root && root != largest ? root + 1 : root;
}

}  // namespace

Outcome signal_filter_bank_square_root(const Call& call) {
  if (!want_type(call, 0, DType::u64) || !want_type(call, 1, DType::i32) || !want_elements(call, 1, 1)) return failure;
  const auto x = elements<std::uint64_t>(call.in(0));
  const std::int32_t shift = elements<std::int32_t>(call.in(1))[0];
  Result<Buffer> y = call.allocate(DType::u32, *call.in(0).type.dims);
  if (!y) return failure;
  for (std::size_t i = 0; i < x.size(); ++i)
    y->as<std::uint32_t>()[i] =
        shift < 0 || shift > 31 ? 0 : static_cast<std::uint32_t>(rounded_root(x[i]) >> static_cast<unsigned>(shift));
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
