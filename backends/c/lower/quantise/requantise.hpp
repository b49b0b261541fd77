// Quantisation as kernels take it: multipliers, clamps, and the record that turns sums into results.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// value = q * 2^(shift - 31), q = 0 or in [2^30, 2^31).
struct Multiplier {
  std::int32_t q = 0;
  std::int32_t shift = 0;
};
// TFLite's QuantizeMultiplier (tensorflow/lite/kernels/internal/quantization_util.cc), shift not bounded above.
[[nodiscard]] Multiplier quantise_multiplier(double value);
// TFLite's MultiplyByQuantizedMultiplier with two roundings, the inverse of nothing: for tables made at export.
[[nodiscard]] std::int32_t multiply(std::int32_t x, const Multiplier&);

// Per-tensor parameters of a value: real = scale * (q - zero).
struct Affine {
  float scale = 1;
  std::int32_t zero = 0;
};
[[nodiscard]] Affine affine(const codegen::Value&);

// Refuses what is not an i8 or u8 value with one scale > 0 and a zero point in range.
[[nodiscard]] std::optional<codegen::Verdict> refuse_unless_8bit(const codegen::Value&, std::string_view role);
// The same for i8, u8 and i16; TFLite's i16 values have the zero point 0.
[[nodiscard]] std::optional<codegen::Verdict> refuse_unless_quantised(const codegen::Value&, std::string_view role);
// Refuses what is not an i8 value with one scale > 0 and a zero point in range. `role` names it in the text: "input".
[[nodiscard]] std::optional<codegen::Verdict> refuse_unless_s8(const codegen::Value&, std::string_view role);
// "i8[1,8,8,3]" with scales for texts of verdicts.
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& dims);

// How a sum becomes a result: TFLite's Q31 multiplier with two roundings; a float product rounded half to even (ONNX's
// QLinear operators); the exact product rounded once, half to even (ONNX on quantised tensors); TFLite's multiplier of
// 16 bits on a 64-bit sum.
enum class Scaling { tflite, onnx, exact, wide };

struct Clamp {
  std::int32_t low = -128, high = 127;
};
// Of i8, u8, i16 and u16.
[[nodiscard]] Clamp range_of(const codegen::Value&);
// The fused activation of `node` ("none", "relu", "relu6", "relu_n1_to_1") on integers: bounds as zero + round(real /
// scale) in float32, within the range of `out`. TFLite's CalculateActivationRangeQuantized rounds halves away from
// zero, ONNX to even. Null for another name.
[[nodiscard]] std::optional<Clamp> activation_clamp(const codegen::Region&, const codegen::Node&,
                                                    const codegen::Value& out);

// Weights with output channels along `axis`, with a scale each or one. Refuses what kernels cannot compute: not i8 or
// u8, zero points out of range, scales that are not > 0.
[[nodiscard]] std::optional<codegen::Verdict> refuse_weights(const codegen::Value&, std::size_t axis);
[[nodiscard]] std::optional<codegen::Verdict> refuse_bias(const codegen::Value*, std::int64_t channels);
// Refuses output multipliers that TFLite leaves undefined: a left shift of more than 30, of 64-bit sums more than 7.
[[nodiscard]] std::optional<codegen::Verdict> refuse_scales(Scaling, const codegen::Value& in,
                                                            const codegen::Value& weights, const codegen::Value& out);

// True if every weight without its zero point is in [-128, 127].
[[nodiscard]] bool weights_fit_s8(const codegen::Value&, std::size_t axis);
// The i8 or u8 weights of a constant with its zero points taken off, which weights_fit_s8. `channel_of(i)` gives the
// channel of element i.
template <class ChannelOf>
std::vector<std::int8_t> weights_s8(const codegen::Value& w, ChannelOf channel_of);
[[nodiscard]] std::vector<std::int32_t> bias_s32(const codegen::Value* bias, std::int64_t channels);

// Emits bias, scales and shifts and returns the byoc_requant_t initialiser. `sums`: of each channel's weights.
std::string emit_requant(Emitter&, Scaling, std::string_view stem, const codegen::Value& in,
                         const codegen::Value& weights, const codegen::Value* bias, const codegen::Value& out, Clamp,
                         std::span<const std::int64_t> sums);

// The same without a bias, and with nothing from the input's zero point: for kernels that take it off themselves.
std::string emit_scales(Emitter&, Scaling, std::string_view stem, const codegen::Value& in,
                        const codegen::Value& weights, const codegen::Value* bias, const codegen::Value& out, Clamp,
                        std::int64_t channels);

// Which of the kernels of an operator the target runs. They give the same bits; their layouts of weights differ.
enum class Path { portable, dsp, mve };
[[nodiscard]] Path kernel_path(Scaling, const TargetSpec&);
// True if vector kernels without another way for single channels can scale every sum: exact scales are below 1/4, and
// no sum is half way between two results.
[[nodiscard]] bool fits_vectors(Scaling, const codegen::Value& in, const codegen::Value& weights,
                                const codegen::Value* bias, const codegen::Value& out, std::int64_t channels);
// "conv_s8" and the path: "conv_s8", "conv_s8_dsp", "conv_s8_mve".
[[nodiscard]] std::string path_stem(std::string_view stem, Path);

// "", "_onnx", "_exact" or "_wide": kernels that requantise exist in these forms; those of a region's float arithmetic
// in two.
[[nodiscard]] std::string_view requant_suffix(Scaling);
[[nodiscard]] std::string_view requant_suffix(const codegen::Region&);
// The kernel <stem><suffix> from <stem>.c.
[[nodiscard]] Kernel requant_kernel(Scaling, const std::string& stem);
[[nodiscard]] Kernel requant_kernel(const codegen::Region&, const std::string& stem);

[[nodiscard]] inline std::int64_t weight_element(const codegen::Value& w, std::size_t i) {
  if (w.dtype == DType::u8) return static_cast<std::uint8_t>(w.data[i]);
  return static_cast<std::int8_t>(w.data[i]);
}

template <class ChannelOf>
std::vector<std::int8_t> weights_s8(const codegen::Value& w, ChannelOf channel_of) {
  std::vector<std::int8_t> out(w.data.size());
  const auto& zeros = w.quantisation.zero_points;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t zero = zeros.empty()       ? 0
                              : zeros.size() == 1 ? zeros[0]
                                                  : zeros[static_cast<std::size_t>(channel_of(i))];
    out[i] = static_cast<std::int8_t>(weight_element(w, i) - zero);
  }
  return out;
}

}  // namespace byoc::c
