// byoc.SquaredDifference: (a - b)^2 with broadcasting.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/pair_tflite.hpp"

namespace byoc::evaluate {
namespace {

// Both operands are brought to twice the larger scale, of 8 bits with headroom; the square is requantised.
Outcome squared_difference_quantised(const Call& call) {
  const Result<Affine> a = affine_input(call, 0), b = affine_input(call, 1), out = affine_output(call);
  if (!a || !b || !out) return failure;
  const int left = call.in(0).type.dtype == DType::i16 ? 0 : 7;
  const double twice = 2.0 * static_cast<double>(std::max(a->scale, b->scale));
  const Multiplier ma = quantise_multiplier(static_cast<double>(a->scale) / twice);
  const Multiplier mb = quantise_multiplier(static_cast<double>(b->scale) / twice);
  const Multiplier mo =
      quantise_multiplier(twice * twice / static_cast<double>(static_cast<float>(1 << (2 * left)) * out->scale));
  return requantise_pairs(call, [&](std::int32_t x, std::int32_t y) -> std::int64_t {
    const std::int32_t difference =
        multiply_by_quantised(x * (1 << left), ma) - multiply_by_quantised(y * (1 << left), mb);
    return multiply_by_quantised(difference * difference, mo);
  });
}

// Integers wrap around; they are computed unsigned, where that is defined. Floats are rounded after each step.
template <class T>
T squared(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const auto d = static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
    return static_cast<T>(d * d);
  } else {
    const T d = narrow<T>(widen(a) - widen(b));
    return narrow<T>(widen(d) * widen(d));
  }
}

}  // namespace

Outcome squared_difference(const Call& call) {
  if (is_quantised(call)) return squared_difference_quantised(call);
  if (!call.same_dtype(0, 1)) return failure;
  const std::optional<Dims> dims = broadcast(*call.in(0).type.dims, *call.in(1).type.dims);
  if (!dims)
    return call.error("the shapes of the inputs do not broadcast",
                      describe(call.in(0)) + " and " + describe(call.in(1)));
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, *dims);
  if (!y) return failure;
  bool known = false;
  (void)dispatch(call.in(0).type.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      known = true;
      const std::span<const T> p = elements<T>(call.in(0)), q = elements<T>(call.in(1));
      const std::span<T> out = y->as<T>();
      std::size_t next = 0;
      walk<2>(*dims, {broadcast_strides(*call.in(0).type.dims, *dims), broadcast_strides(*call.in(1).type.dims, *dims)},
              [&](const std::array<std::int64_t, 2>& at) {
                out[next++] = squared(p[static_cast<std::size_t>(at[0])], q[static_cast<std::size_t>(at[1])]);
              });
    }
  });
  if (!known) return call.unsupported_dtype(0, "a number");
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
