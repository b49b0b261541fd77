#include "tests/e2e/layers/tflite/fixed_point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace byoc::test {

FixedFactor fixed_factor(double factor) {
  if (factor == 0) return {};
  // A double's own bits: 1.fraction * 2^exponent is 0.1fraction * 2^(exponent + 1).
  const auto bits = std::bit_cast<std::uint64_t>(factor);
  const std::uint64_t mantissa = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  FixedFactor out{static_cast<std::int64_t>((mantissa + (1 << 21)) >> 22), static_cast<int>(bits >> 52) - 1022};
  if (out.value == std::int64_t{1} << 31) out = {out.value / 2, out.shift + 1};
  return out.shift < -31 ? FixedFactor{} : out;
}

std::int64_t round_up(__int128 numerator, int bits) {
  if (bits == 0) return static_cast<std::int64_t>(numerator);
  return static_cast<std::int64_t>((numerator + (static_cast<__int128>(1) << (bits - 1))) >> bits);
}

std::int64_t round_away(__int128 numerator, int bits) {
  return numerator < 0 ? -round_up(-numerator, bits) : round_up(numerator, bits);
}

std::int64_t requantise(std::int64_t x, FixedFactor factor) {
  const int left = std::max(factor.shift, 0);
  const auto shifted = static_cast<std::int32_t>(left > 31 ? 0 : static_cast<std::uint64_t>(x) << left);
  return round_away(round_up(static_cast<__int128>(shifted) * factor.value, 31), std::max(-factor.shift, 0));
}

std::int64_t requantise_wide(std::int64_t x, FixedFactor factor) {
  const std::int64_t reduced = factor.value >= 0x7FFF0000 ? 0x7FFF : round_up(factor.value, 16);
  return round_up(static_cast<__int128>(x) * reduced, 15 - factor.shift);
}

IntRange activation_range(ActivationFunctionType activation, const TensorData& out) {
  const auto at = [&](float real) {
    const float q = std::round(real / out.scale()) + static_cast<float>(out.zero_point());
    return static_cast<std::int64_t>(std::clamp(static_cast<double>(q), static_cast<double>(lowest(out.type)),
                                                static_cast<double>(highest(out.type))));
  };
  IntRange range{lowest(out.type), highest(out.type)};
  if (activation == ActivationFunctionType::RELU || activation == ActivationFunctionType::RELU6) range.low = at(0);
  if (activation == ActivationFunctionType::RELU6) range.high = at(6);
  if (activation == ActivationFunctionType::RELU_N1_TO_1) range = {at(-1), at(1)};
  return range;
}

float activate(ActivationFunctionType activation, float v) {
  switch (activation) {
    case ActivationFunctionType::RELU: return v < 0 ? 0 : v;
    case ActivationFunctionType::RELU6: return v < 0 ? 0 : v > 6 ? 6 : v;
    case ActivationFunctionType::RELU_N1_TO_1: return v < -1 ? -1 : v > 1 ? 1 : v;
    default: return v;
  }
}

ActivationFunctionType random_activation(Random& random) {
  using enum ActivationFunctionType;
  return random.pick({NONE, NONE, RELU, RELU6, RELU_N1_TO_1});
}

}  // namespace byoc::test
