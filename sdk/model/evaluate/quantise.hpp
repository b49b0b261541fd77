// Quantised arithmetic that operators share: parameters, fused activations, accumulator to output.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/evaluate/fixed_point.hpp"

namespace byoc::evaluate {

// Per-tensor parameters: real = scale * (q - zero_point).
struct Affine {
  float scale = 1;
  std::int64_t zero_point = 0;
  IntegerRange range{0, 0};  // of the element type
};

// Errors: not quantised, per axis, or an element type other than i8, u8, i16, u16.
Result<Affine> affine_input(const Call& call, std::size_t input);
Result<Affine> affine_output(const Call& call, std::size_t output = 0);

// True if operand 0 and the declared output are both quantised; one without the other is left to the caller's checks.
[[nodiscard]] bool is_quantised(const Call& call);

// q for a real value, in float32 as both frameworks do: TFLite rounds half away from zero, ONNX half to even.
[[nodiscard]] std::int64_t quantise(float value, const Affine& to, Requant rounding);
[[nodiscard]] float dequantise(std::int64_t q, const Affine& from);

// The bounds of a fused activation, infinite where there is none. Error: an activation that we do not know.
struct Bounds {
  double low, high;
};
Result<Bounds> activation_bounds(const Call& call);
// The activation's range in integers of an output: TFLite's CalculateActivationRangeQuantized.
Result<IntegerRange> activation_range(const Call& call, const Affine& out);

// Weights: one scale and zero point, or one of each for every one of the `channels` along dim `axis`.
struct FilterScales {
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;
};
Result<FilterScales> filter_scales(const Call& call, std::size_t input, std::size_t axis, std::int64_t channels);
// The scales of the input and the weights, so that their products are what the attribute scale_product says: "f32" has
// them rounded to float32, and then the input's scale is 1.
void round_products(const Call& call, Affine& in, FilterScales& weights);
// The i32 or i64 values of a bias; empty if there is none.
Result<std::vector<std::int64_t>> quantised_bias(const Call& call, std::size_t input);

// The way in which an accumulator is scaled.
//   tflite: Q31 multiplier, two roundings.
//   tflite_wide: 16-bit activations with a 64-bit accumulator.
//   onnx: the exact product with the float32 scale, rounded once, half to even.
//   onnx_wide: as onnx, with a 64-bit accumulator.
//   onnx_literal: the product in float32, as ONNX Runtime's QLinear kernels form it, then rounded half to even. It
//     differs from onnx where the product's own rounding gives a half (docs/decisions/onnx-requantisation.md).
enum class Scaling { tflite, tflite_wide, onnx, onnx_wide, onnx_literal };

// The scaling of a product of operands `x` and `w` of an ONNX graph: if one of them has 16 bits, the accumulator has
// 64.
[[nodiscard]] Scaling onnx_scaling(const Call& call, std::size_t x, std::size_t w);

// Converts an integer accumulator with scale in * weight[c] to the output's integers.
class Requantiser {
 public:
  // `weight_scales` has one scale or one for each channel.
  Requantiser(Scaling scaling, float in_scale, std::span<const float> weight_scales, const Affine& out,
              IntegerRange clamp);
  [[nodiscard]] std::int64_t operator()(std::int64_t accumulator, std::size_t channel) const;

 private:
  Scaling scaling_;
  std::int64_t zero_point_;
  IntegerRange clamp_;
  std::vector<Multiplier> multipliers_;  // tflite
  std::vector<float> scales_;            // onnx
};

// q - zero_point, as accumulations want it. The elements are integers of at most 16 bits.
[[nodiscard]] std::vector<std::int32_t> centred(const Tensor& tensor, std::int64_t zero_point);
// A quantised result from its integers.
Result<Tensor> from_integers(const Call& call, DType dtype, Dims dims, std::span<const std::int64_t> values,
                             std::size_t output = 0);

}  // namespace byoc::evaluate
