// TFLite's quantised PRELU, DIV, MAXIMUM, MINIMUM and comparisons.
#include "sdk/model/evaluate/operators/pairs_tflite.hpp"

#include <bit>

#include "sdk/model/evaluate/operators/pair_tflite.hpp"

namespace byoc::evaluate {

// Requantises x once where it is positive, else its product with alpha. alpha may be i8 if x is i16.
Outcome prelu_tflite(const Call& call) {
  const Result<Affine> x = affine_input(call, 0), alpha = affine_input(call, 1), out = affine_output(call);
  if (!x || !alpha || !out) return failure;
  const double in_scale = static_cast<double>(x->scale), out_scale = static_cast<double>(out->scale);
  const bool in_floats = call.node.text("scale_product", "f64") == "f32";
  const Multiplier positive =
      quantise_multiplier(in_floats ? static_cast<double>(x->scale / out->scale) : in_scale / out_scale);
  const Multiplier negative = quantise_multiplier(in_floats ? static_cast<double>(x->scale * alpha->scale / out->scale)
                                                            : in_scale * static_cast<double>(alpha->scale) / out_scale);
  const bool narrow_alpha = call.in(0).type.dtype == DType::i16 && call.in(1).type.dtype == DType::i8;
  return requantise_pairs(
      call,
      [&](std::int32_t a, std::int32_t b) -> std::int64_t {
        return a >= 0 ? multiply_by_quantised(a, positive) : multiply_by_quantised(a * b, negative);
      },
      !narrow_alpha);
}

// The quotient by the divisor's reciprocal in fixed point. Upstream leaves a division by zero undefined: 0 here.
Outcome div_tflite(const Call& call) {
  const Result<Affine> a = affine_input(call, 0), b = affine_input(call, 1), out = affine_output(call);
  if (!a || !b || !out) return failure;
  const Multiplier m = quantise_multiplier(static_cast<double>(a->scale / (b->scale * out->scale)));
  return requantise_pairs(call, [&](std::int32_t x, std::int32_t y) -> std::int64_t {
    if (y == 0) return 0;
    const std::int32_t numerator = y < 0 ? -x : x;
    const auto divisor = static_cast<std::uint32_t>(y < 0 ? -y : y);
    const int zeros = std::countl_zero(divisor);
    // The divisor is 2^(31 - zeros) * (1 + fraction), the fraction in 31 bits.
    const auto fraction = static_cast<std::int32_t>((divisor << zeros) - (std::uint32_t{1} << 31));
    const auto bits = static_cast<std::uint32_t>(numerator);
    const int headroom = (numerator < 0 ? std::countl_one(bits) : std::countl_zero(bits)) - 1;
    const auto scaled = static_cast<std::int32_t>(numerator * (std::int64_t{1} << headroom));
    const std::int32_t quotient = rounding_doubling_high_mul(scaled, fixed_reciprocal_of_one_plus(fraction));
    const int right = std::clamp(31 - zeros + headroom - m.shift, 0, 31);
    return rounding_divide_by_pot(rounding_doubling_high_mul(quotient, m.value), right);
  });
}

// The integers as they are, whatever their scales.
Outcome extreme_tflite(const Call& call, bool largest) {
  Result<Pair> pair = read_pair(call);
  if (!pair) return failure;
  pair->a.zero_point = pair->b.zero_point = 0;
  const std::vector<std::int64_t> y = map_pairs(call, *pair, [&](std::int32_t a, std::int32_t b) -> std::int64_t {
    return largest ? std::max(a, b) : std::min(a, b);
  });
  return single(from_integers(call, call.in(0).type.dtype, pair->dims, y));
}

// Both sides in their own units, with eight bits more, so that their integers can be compared.
Outcome compare_tflite(const Call& call, bool (*holds)(std::string_view, std::int32_t, std::int32_t)) {
  const Result<Pair> pair = read_pair(call);
  if (!pair) return failure;
  if (pair->a.scale >= 1 || pair->b.scale >= 1)
    return call.error("a scale is out of range", std::to_string(std::max(pair->a.scale, pair->b.scale)), "less than 1");
  const Multiplier ma = quantise_multiplier(static_cast<double>(pair->a.scale));
  const Multiplier mb = quantise_multiplier(static_cast<double>(pair->b.scale));
  const std::vector<std::int64_t> y = map_pairs(call, *pair, [&](std::int32_t a, std::int32_t b) -> std::int64_t {
    return holds(call.node.op, multiply_by_quantised(a * 256, ma), multiply_by_quantised(b * 256, mb)) ? 1 : 0;
  });
  return single(from_integers(call, DType::boolean, pair->dims, y));
}

}  // namespace byoc::evaluate
