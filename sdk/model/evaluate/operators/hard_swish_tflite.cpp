// HardSwish on 8-bit integers: TFLite's 16-bit arithmetic.
#include <algorithm>
#include <cstdint>

#include "sdk/model/evaluate/operators/tflite.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// Integers of 16 bits, kept in 32.
struct Factor {
  std::int32_t value;
  int shift;
};

// The upper half of the 32-bit multiplier, rounded; its largest values saturate.
Factor factor_of(float real) {
  const Multiplier m = quantise_multiplier(static_cast<double>(real));
  const std::int32_t value = m.value >= 0x7FFF0000 ? 0x7FFF : (m.value + (1 << 15)) >> 16;
  return {value, m.shift};
}

std::int32_t saturate16(std::int64_t v) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(v, -32768, 32767));
}

// round(a * b / 2^15), halves towards plus infinity.
std::int32_t rounding_high_mul(std::int32_t a, std::int32_t b) {
  const std::int32_t ab = a * b;
  const std::int32_t nudge = ab >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturate16((ab + nudge) / (1 << 15));
}

// x / 2^exponent, halves away from zero, with a mask of 16 bits: from 2^16 on the kernel gives 1 for all x >= 0 and -1
// for the others.
std::int32_t divide_by_pot16(std::int32_t x, int exponent) {
  const auto mask = static_cast<std::int16_t>((std::int64_t{1} << exponent) - 1);
  const std::int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + ((x & mask) > threshold ? 1 : 0);
}

}  // namespace

Outcome hard_swish_tflite(const Call& call) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  if (call.in(0).type.dtype != DType::i8 || call.declared()->dtype != DType::i8)
    return call.unsupported_dtype(0, "f32 or i8");
  const float fine_scale = (1.0F / 128.0F) * in->scale;
  const Factor to_output = factor_of(fine_scale / out->scale);
  const Factor to_gate = factor_of(fine_scale / (3.0F / 32768.0F));  // 3 becomes 2^15
  if (to_output.shift > 0)
    return call.error("the output's scale is too small for the input's", std::to_string(out->scale),
                      "more than " + std::to_string(fine_scale));
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) {
    const auto x = static_cast<std::int32_t>(v - in->zero_point) * 128;
    const std::int32_t unshifted = rounding_high_mul(x, to_output.value);
    // min(max(x / 3, -1), 1) as a 16-bit fraction; a left shift saturates, its last bit after the multiplication.
    std::int32_t gate = x;
    if (to_gate.shift > 0) gate = saturate16(std::int64_t{gate} << std::min(to_gate.shift - 1, 31));
    gate = rounding_high_mul(gate, to_gate.value);
    if (to_gate.shift > 0) gate = saturate16(std::int64_t{gate} * 2);
    if (to_gate.shift < 0) gate = divide_by_pot16(gate, -to_gate.shift);
    gate = (gate + (1 << 15)) >> 1;                                         // in [0, 1]
    const std::int32_t product = saturate16(gate * unshifted / (1 << 15));  // truncates
    const std::int32_t y = divide_by_pot16(product, -to_output.shift);
    v = std::clamp<std::int64_t>(saturate16(y + out->zero_point), -128, 127);
  }
  return single(from_integers(call, DType::i8, *call.in(0).type.dims, values));
}

}  // namespace byoc::evaluate
