// Sigmoid and Tanh.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/elementwise.hpp"
#include "sdk/model/evaluate/operators/table_16bit.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

enum class Curve { sigmoid, tanh };

double evaluate_curve(Curve curve, double x) { return curve == Curve::tanh ? std::tanh(x) : 1 / (1 + std::exp(-x)); }

// TFLite, 8 bits: gemmlowp's fixed point with 4 integer bits, saturating outside of what fits into them.
Outcome curve_i8(const Call& call, Curve curve, const Affine& in, const Affine& out) {
  const Multiplier to_f4 = quantise_multiplier(static_cast<double>(in.scale) * (1 << 27));
  const std::int32_t radius = input_radius(4, to_f4.shift);
  const int fraction_bits = curve == Curve::tanh ? 7 : 8;
  const std::int64_t zero_point = curve == Curve::tanh ? 0 : -128;
  if (out.scale != std::ldexp(1.0F, -fraction_bits) || out.zero_point != zero_point)
    return call.error("the output quantisation is not the one that TFLite fixes for this operator",
                      "scale " + std::to_string(out.scale) + ", zero point " + std::to_string(out.zero_point),
                      "scale 1/" + std::to_string(1 << fraction_bits) + ", zero point " + std::to_string(zero_point));
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) {
    const auto x = static_cast<std::int32_t>(v - in.zero_point);
    if (x <= -radius) {
      v = -128;
    } else if (x >= radius) {
      v = 127;
    } else {
      const std::int32_t f4 = multiply_by_quantised(x, to_f4);
      const std::int32_t f0 = curve == Curve::tanh ? fixed_tanh(f4) : fixed_logistic(f4);
      v = std::clamp<std::int64_t>(rounding_divide_by_pot(f0, 31 - fraction_bits) + zero_point, -128, 127);
    }
  }
  return single(from_integers(call, DType::i8, *call.in(0).type.dims, values));
}

// The exponent if the scale is within 0.1 % of a power of two, as TFLite's CheckedLog2 decides it.
std::optional<int> log_of_scale(float scale) {
  const float log = std::log(scale) * (1.0F / std::log(2.0F));
  const float rounded = std::round(log);
  if (std::fabs(log - rounded) >= 1e-3F) return std::nullopt;
  return static_cast<int>(rounded);
}

// Converts input integers to steps of 1 / (3 * 4096), which index the table: (x * multiplier + rounding) >> shift.
struct TableScale {
  std::int64_t multiplier;
  int shift;

  [[nodiscard]] std::int64_t operator()(std::int64_t x) const {
    const std::int64_t round = shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
    return (x * multiplier + round) >> shift;
  }
};

TableScale table_scale(Curve curve, float scale) {
  const std::optional<int> log = log_of_scale(scale);
  const int exact_shift = log ? 12 + *log : -1;
  if (exact_shift == 0 || (curve == Curve::tanh && exact_shift == 1)) return {std::int64_t{3} << exact_shift, 0};
  double multiplier = static_cast<double>(scale) * 4096.0 * 3.0;
  int shift = 0;
  for (; multiplier <= 32767.0 / 2.0 && shift <= 30; ++shift) multiplier *= 2;
  return {static_cast<std::int64_t>(std::min(multiplier, 2147483647.0)), shift};  // truncated
}

Outcome curve_i16(const Call& call, Curve curve, const Affine& in, const Affine& out) {
  if (in.zero_point != 0 || out.zero_point != 0 || log_of_scale(out.scale) != -15)
    return call.error("the 16-bit quantisation is not the one that TFLite fixes for this operator",
                      "zero points " + std::to_string(in.zero_point) + " and " + std::to_string(out.zero_point) +
                          ", output scale " + std::to_string(out.scale),
                      "zero points 0, output scale 1/32768");
  const TableScale scale = table_scale(curve, in.scale);
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) v = curve == Curve::tanh ? tanh_16bit(scale(v)) : sigmoid_16bit(scale(v));
  return single(from_integers(call, DType::i16, *call.in(0).type.dims, values));
}

Outcome curve_tflite(const Call& call, Curve curve) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  const DType dtype = call.in(0).type.dtype;
  if (call.declared()->dtype != dtype)
    return call.error("the output must have the element type of the input",
                      std::string(to_string(call.declared()->dtype)), std::string(to_string(dtype)));
  if (dtype == DType::i8) return curve_i8(call, curve, *in, *out);
  if (dtype == DType::i16) return curve_i16(call, curve, *in, *out);
  return call.unsupported_dtype(0, "f32, i8 or i16");
}

Outcome compute_curve(const Call& call, Curve curve) {
  if (is_quantised(call) && call.tflite()) return curve_tflite(call, curve);
  return map_reals(call, [curve](double x) { return evaluate_curve(curve, x); });
}

}  // namespace

Outcome sigmoid(const Call& call) { return compute_curve(call, Curve::sigmoid); }
Outcome tanh(const Call& call) { return compute_curve(call, Curve::tanh); }

}  // namespace byoc::evaluate
