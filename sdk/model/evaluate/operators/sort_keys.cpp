#include "sdk/model/evaluate/operators/sort_keys.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace byoc::evaluate {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

template <class T>
std::uint64_t sort_key(T value) {
  if constexpr (kIsFloat<T>) {
    const double number = static_cast<double>(widen(value)) + 0.0;  // -0 + 0 is 0
    if (std::isnan(number)) return std::numeric_limits<std::uint64_t>::max();
    const auto bits = std::bit_cast<std::uint64_t>(number);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  } else {
    return static_cast<std::uint64_t>(value) ^ (std::numeric_limits<T>::is_signed ? kSign : 0);
  }
}

}  // namespace

bool sort_keys(const Tensor& x, std::int64_t start, std::int64_t stride, std::span<std::uint64_t> keys) {
  return dispatch(x.type.dtype, [&]<class T>() {
    const std::span<const T> in = elements<T>(x);
    for (std::size_t n = 0; n < keys.size(); ++n)
      keys[n] = sort_key(in[static_cast<std::size_t>(start + static_cast<std::int64_t>(n) * stride)]);
  });
}

}  // namespace byoc::evaluate
