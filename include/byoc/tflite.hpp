// The arithmetic of TensorFlow Lite's quantised kernels, as numbers for a kernel of yours: scales in, multipliers with
// shifts, bounds and tables out. Header only.
//
// Every function says in which precision it combines scales: upstream takes float32 for some operators and double for
// others, and a parameter that is off by one bit is a result that is off by one. Sources, unless stated:
// tensorflow/lite/kernels/internal/quantization_util.cc and tensorflow/lite/micro/kernels/<operator>_common.cc.
//
// A Multiplier is q * 2^(shift - 31); a kernel applies it as MultiplyByQuantizedMultiplier does, or arm_nn_requantize:
// multiply() below is the definition. A shift above 30 is undefined upstream; refuse it.
//
// byoc/onnx.hpp has the same for ONNX's rounding; which of them a region follows is Region::requant.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "byoc/nodes/fixed_point.hpp"
#include "byoc/nodes/quantisation.hpp"

namespace byoc::tflite {

using nodes::Affine;
using nodes::Clamp;
using nodes::Multiplier;
using nodes::multiply;
using nodes::quantise_multiplier;
using nodes::wide_multiplier;

// real as an integer of `to`, in float32, halves away from zero; not clamped beyond +-10^9 and the zero point.
[[nodiscard]] inline std::int64_t quantise(float real, const Affine& to) {
  return static_cast<std::int64_t>(std::round(std::clamp(real / to.scale, -1e9F, 1e9F))) + to.zero;
}

// Bounds of a fused activation ("none", "relu", "relu6", "relu_n1_to_1") on the integers of `out`, which can be what
// `range` says. CalculateActivationRangeQuantized (tensorflow/lite/kernels/kernel_util.cc). Null for another name.
[[nodiscard]] inline std::optional<Clamp> activation_range(std::string_view activation, const Affine& out,
                                                           const Clamp& range) {
  return nodes::detail::activation_range(activation, range, [&](float real) { return quantise(real, out); });
}

// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED, BATCH_MATMUL: what a sum of products is multiplied by,
// of one output channel with the scale `weight`. In double.
[[nodiscard]] inline double sum_scale(const Affine& in, float weight, const Affine& out) {
  return static_cast<double>(in.scale) * static_cast<double>(weight) / static_cast<double>(out.scale);
}
// Sums of 64 bits (16-bit activations) take wide_multiplier(sum_scale(...)) instead.
[[nodiscard]] inline Multiplier sum_multiplier(const Affine& in, float weight, const Affine& out) {
  return quantise_multiplier(sum_scale(in, weight, out));
}

// The parameters of a pair of operands: each (q - zero) * 2^left times its multiplier, then the operation, times `y`.
struct PairParameters {
  Multiplier a, b, y;
  int left = 0;
};

// Bits that ADD and SUB add below those of their operands, where these have 8 bits; of 16 bits it is 15.
inline constexpr int kSumLeftShift = 20;

// `Real`: double for ADD, float for SUB. `bits`: of the elements, 8 or 16.
template <class Real>
[[nodiscard]] PairParameters sum_parameters(const Affine& a, const Affine& b, const Affine& y, unsigned bits = 8) {
  const auto sa = static_cast<Real>(a.scale), sb = static_cast<Real>(b.scale);
  const Real twice = 2 * std::max(sa, sb);
  const int left = bits == 16 ? 15 : kSumLeftShift;
  return {quantise_multiplier(static_cast<double>(sa / twice)), quantise_multiplier(static_cast<double>(sb / twice)),
          quantise_multiplier(static_cast<double>(twice / (static_cast<Real>(1 << left) * static_cast<Real>(y.scale)))),
          left};
}
[[nodiscard]] inline PairParameters add_parameters(const Affine& a, const Affine& b, const Affine& y,
                                                   unsigned bits = 8) {
  return sum_parameters<double>(a, b, y, bits);
}
[[nodiscard]] inline PairParameters sub_parameters(const Affine& a, const Affine& b, const Affine& y,
                                                   unsigned bits = 8) {
  return sum_parameters<float>(a, b, y, bits);
}
// MUL: y = a * b times this. In double.
[[nodiscard]] inline Multiplier mul_multiplier(const Affine& a, const Affine& b, const Affine& y) {
  return quantise_multiplier(static_cast<double>(a.scale) * static_cast<double>(b.scale) /
                             static_cast<double>(y.scale));
}
// DIV: of the quotient. In float32.
[[nodiscard]] inline Multiplier div_multiplier(const Affine& a, const Affine& b, const Affine& y) {
  return quantise_multiplier(static_cast<double>(a.scale / (b.scale * y.scale)));
}
// PRELU: `a` for elements from 0 on, `y` for products with the slope below. In double.
[[nodiscard]] inline PairParameters prelu_parameters(const Affine& x, const Affine& slope, const Affine& y) {
  return {quantise_multiplier(static_cast<double>(x.scale) / static_cast<double>(y.scale)),
          {},
          mul_multiplier(x, slope, y)};
}
// SQUARED_DIFFERENCE. In double, but for the output's unit.
[[nodiscard]] inline PairParameters squared_difference_parameters(const Affine& a, const Affine& b, const Affine& y,
                                                                  unsigned bits = 8) {
  const double sa = static_cast<double>(a.scale), sb = static_cast<double>(b.scale), twice = 2.0 * std::max(sa, sb);
  const int left = bits == 16 ? 0 : 7;
  const float unit = static_cast<float>(1 << (2 * left)) * y.scale;
  return {quantise_multiplier(sa / twice), quantise_multiplier(sb / twice),
          quantise_multiplier(twice * twice / static_cast<double>(unit)), left};
}
// EQUAL, LESS and their like compare what this makes of both operands.
[[nodiscard]] inline PairParameters comparison_parameters(const Affine& a, const Affine& b) {
  return {quantise_multiplier(static_cast<double>(a.scale)), quantise_multiplier(static_cast<double>(b.scale)), {}, 8};
}
// ADD_N: all operands have the scale of `in`; each is multiplied by `a`, their sum by `y`. In double.
[[nodiscard]] inline PairParameters add_n_parameters(const Affine& in, const Affine& out) {
  const auto x = static_cast<double>(in.scale), y = static_cast<double>(out.scale);
  const Multiplier half = quantise_multiplier(x / (2 * x));
  return {half, half, quantise_multiplier(2 * x / ((1 << 20) * y)), 20};
}

// QUANTIZE of a quantised tensor. In double.
[[nodiscard]] inline Multiplier rescale_multiplier(const Affine& in, const Affine& out) {
  return quantise_multiplier(static_cast<double>(in.scale) / static_cast<double>(out.scale));
}
// RELU, ABS, and LEAKY_RELU from 0 on. In float32.
[[nodiscard]] inline Multiplier relu_multiplier(const Affine& in, const Affine& out) {
  return quantise_multiplier(static_cast<double>(in.scale / out.scale));
}
// LEAKY_RELU below 0, of |alpha|; the sign of alpha is the kernel's. In float32.
[[nodiscard]] inline Multiplier leaky_relu_multiplier(float alpha, const Affine& in, const Affine& out) {
  return quantise_multiplier(static_cast<double>(std::fabs(in.scale * alpha / out.scale)));
}

// MEAN over `count` elements (SUM: 0): what the sum without its zero points is multiplied by. As many bits as 1/count
// leaves room for go into the multiplier, and no rounding happens there (QuantizedMeanOrSum of
// tensorflow/lite/kernels/internal/reference/reduce.h).
[[nodiscard]] inline Multiplier mean_multiplier(const Affine& in, const Affine& out, std::int64_t count) {
  Multiplier m = rescale_multiplier(in, out);
  if (count < 1) return m;
  const int shift = std::min(
      {static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) - 1, 32, static_cast<int>(31 + m.shift)});
  m.q = static_cast<std::int32_t>((std::int64_t{m.q} << shift) / count);
  m.shift -= shift;
  return m;
}

// CUMSUM adds up as ADD does: 20 bits more than the elements have, at twice their scale. In double.
[[nodiscard]] inline Multiplier cum_sum_multiplier(const Affine& in, const Affine& out) {
  return quantise_multiplier(2 * static_cast<double>(in.scale) / ((1 << 20) * static_cast<double>(out.scale)));
}

// The largest |difference| that stays within `integer_bits` after a left shift by `shift`: CalculateInputRadius with
// 31 bits in all.
[[nodiscard]] inline std::int32_t input_radius(int integer_bits, int shift) {
  const double radius =
      std::floor(((1 << integer_bits) - 1) * std::ldexp(1.0, 31 - integer_bits) / std::ldexp(1.0, shift));
  return static_cast<std::int32_t>(std::min(radius, 2147483647.0));
}

// SOFTMAX and LOG_SOFTMAX on 8 bits.
struct SoftmaxParameters {
  Multiplier input;       // of differences to the row's largest element, to 5 integer bits; shift is >= 0 where valid
  std::int32_t diff_min;  // what is further below the largest element counts as zero
  Multiplier reverse;     // LOG_SOFTMAX: back from there
};
// PreprocessSoftmaxScaling and PreprocessLogSoftmaxScalingExp, with 5 integer bits. In double.
[[nodiscard]] inline SoftmaxParameters softmax_parameters(const Affine& in, float beta) {
  const double scale = static_cast<double>(beta) * static_cast<double>(in.scale);
  const Multiplier m = quantise_multiplier(std::min(scale * static_cast<double>(1 << 26), 2147483647.0));
  return {m, -input_radius(5, m.shift), quantise_multiplier(std::ldexp(1.0, 31 - m.shift) / static_cast<double>(m.q))};
}
// For 16 bits: converts differences to the 65535 steps of the table of exp over [-10, 0] (table_s16).
[[nodiscard]] inline Multiplier softmax_s16_multiplier(const Affine& in, float beta) {
  return quantise_multiplier(static_cast<double>(in.scale) * static_cast<double>(beta) / (10.0 / 65535.0));
}
// The output that a kernel may take for granted.
inline constexpr Affine kSoftmaxOutput{1.0F / 256, -128}, kSoftmaxOutputS16{1.0F / 32768, 0};
inline constexpr Affine kLogisticOutput{1.0F / 256, -128}, kTanhOutput{1.0F / 128, 0};

// LOGISTIC and TANH of one int8 element q: four integer bits; beyond the radius of the input the result is an end of
// its range. Not clamped.
class Curve {
 public:
  static Curve logistic(const Affine& in) { return {nodes::logistic_q31, 8, in, kLogisticOutput}; }
  static Curve tanh(const Affine& in) { return {nodes::tanh_q31, 7, in, kTanhOutput}; }
  Curve(std::int32_t (*f)(std::int32_t), int fraction_bits, const Affine& in, const Affine& out)
      : f_(f),
        fraction_bits_(fraction_bits),
        in_zero_(in.zero),
        zero_(out.zero),
        input(quantise_multiplier(static_cast<double>(in.scale) * static_cast<double>(1 << 27))),
        radius(std::floor(15.0 * std::ldexp(1.0, 27 - input.shift))) {}

  [[nodiscard]] std::int64_t operator()(std::int32_t q) const {
    const std::int32_t x = q - in_zero_;
    if (static_cast<double>(x) <= -radius) return -128;
    if (static_cast<double>(x) >= radius) return 127;
    return nodes::divide_pot(f_(multiply(x, input)), 31 - fraction_bits_) + zero_;
  }

 private:
  std::int32_t (*f_)(std::int32_t);
  int fraction_bits_;
  std::int32_t in_zero_, zero_;

 public:
  const Multiplier input;
  const double radius;
};

// ELU (alpha 1) of one int8 element: a table of float32 results, halves away from zero. Not clamped.
[[nodiscard]] inline std::int64_t elu(std::int32_t q, const Affine& in, const Affine& out) {
  const float x = in.scale * static_cast<float>(q - in.zero);
  const float y = x < 0 ? std::exp(x) - 1.0F : x;
  const float inverse = 1 / out.scale;
  return static_cast<std::int64_t>(std::clamp(std::round(y * inverse) + static_cast<float>(out.zero), -1e9F, 1e9F));
}

// HARD_SWISH of one int8 element in 16-bit arithmetic: x in steps of 1/128, min(max(x / 3, -1), 1) as a 16-bit fraction
// (tensorflow/lite/kernels/internal/reference/hard_swish.h). In float32; in.scale / 128 must be below out.scale.
class HardSwish {
 public:
  // A factor of 16 bits: value = q * 2^(shift - 15).
  struct Factor {
    std::int32_t q, shift;
  };
  HardSwish(const Affine& in, const Affine& out)
      : in_zero(in.zero),
        zero(out.zero),
        to_output(factor((1.0F / 128.0F) * in.scale / out.scale)),
        to_gate(factor((1.0F / 128.0F) * in.scale / (3.0F / 32768.0F))) {}

  const std::int32_t in_zero, zero;
  const Factor to_output, to_gate;

  [[nodiscard]] std::int64_t operator()(std::int32_t q) const {
    const std::int64_t x = std::int64_t{q - in_zero} * 128;
    std::int64_t gate = to_gate.shift > 0 ? saturate(x * (std::int64_t{1} << std::min(to_gate.shift - 1, 31))) : x;
    gate = product(gate, to_gate.q);
    gate = to_gate.shift > 0 ? saturate(2 * gate) : divide(gate, -to_gate.shift);
    const std::int64_t y = ((gate + 32768) >> 1) * product(x, to_output.q) / 32768;  // truncates
    return divide(y, -to_output.shift) + zero;
  }

 private:
  static Factor factor(float real) {
    const Multiplier m = quantise_multiplier(static_cast<double>(real));
    return {std::min((m.q + (m.q < 0x7fff0000 ? 0x8000 : 0)) >> 16, 0x7fff), m.shift};
  }
  static std::int64_t saturate(std::int64_t v) { return std::clamp<std::int64_t>(v, -32768, 32767); }
  static std::int64_t product(std::int64_t a, std::int64_t b) { return (a * b + (1 << 14)) >> 15; }  // halves up
  // The kernel's mask has 16 bits: from 2^16 on it gives -1 or 1.
  static std::int64_t divide(std::int64_t v, std::int32_t n) {
    return n < 16 ? nodes::divide_pot(static_cast<std::int32_t>(v), n) : v < 0 ? -1 : 1;
  }
};

// SVDF with integers: products with the features to the state, of the state with the times to the result. In float32.
struct SvdfParameters {
  Multiplier to_state, to_y;
};
[[nodiscard]] inline SvdfParameters svdf_parameters(const Affine& x, const Affine& feature, const Affine& time,
                                                    const Affine& state, const Affine& y) {
  return {quantise_multiplier(static_cast<double>(x.scale * feature.scale / state.scale)),
          quantise_multiplier(static_cast<double>(state.scale * time.scale / y.scale))};
}

// UNIDIRECTIONAL_SEQUENCE_LSTM with integers, of one gate: its sums of products to 12 bits behind the point. The
// product of two scales is a float32.
[[nodiscard]] inline Multiplier lstm_gate_multiplier(const Affine& x, const Affine& weights) {
  return quantise_multiplier(static_cast<double>(x.scale * weights.scale) * 4096);
}
// Products of gates, 15 bits behind the point each, with the cell, and to the cell and the hidden state. In double.
struct LstmCellParameters {
  Multiplier forget, input, output;
};
[[nodiscard]] inline LstmCellParameters lstm_cell_parameters(const Affine& cell, const Affine& hidden) {
  const double c = static_cast<double>(cell.scale);
  return {quantise_multiplier(std::ldexp(c, -15) / c), quantise_multiplier(std::ldexp(1.0, -30) / c),
          quantise_multiplier(std::ldexp(1.0, -30) / static_cast<double>(hidden.scale))};
}

}  // namespace byoc::tflite
