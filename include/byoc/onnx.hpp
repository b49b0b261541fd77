// The arithmetic of quantised operators in ONNX's rounding, as numbers for a kernel of yours: halves to even, scales
// combined in float32. Header only.
//
// ONNX defines a quantised layer as DequantizeLinear, the operator on reals, QuantizeLinear. A kernel of integers has
// to give the same result: the sum of products times sum_scale(), rounded once (exact_multiplier() makes integers of
// that); for QLinear operators, whose product is a float32 first, requantise_qlinear().
// docs/decisions/onnx-requantisation.md has the reasons. byoc/tflite.hpp has the same for TensorFlow Lite.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "byoc/nodes/fixed_point.hpp"
#include "byoc/nodes/quantisation.hpp"

namespace byoc::onnx {

using nodes::Affine;
using nodes::Clamp;
using nodes::exact_multiplier;
using nodes::ExactMultiplier;

// QuantizeLinear of one element: real / scale in float32, halves to even, plus the zero point; not clamped beyond
// +-10^9 and the zero point.
[[nodiscard]] inline std::int64_t quantise(float real, const Affine& to) {
  return static_cast<std::int64_t>(std::nearbyint(std::clamp(real / to.scale, -1e9F, 1e9F))) + to.zero;
}
// DequantizeLinear of one element.
[[nodiscard]] inline float dequantise(std::int64_t q, const Affine& from) {
  return static_cast<float>(q - from.zero) * from.scale;
}

// Bounds of a fused activation ("none", "relu", "relu6", "relu_n1_to_1") on the integers of `out`, which can be what
// `range` says. Null for another name.
[[nodiscard]] inline std::optional<Clamp> activation_range(std::string_view activation, const Affine& out,
                                                           const Clamp& range) {
  return nodes::detail::activation_range(activation, range, [&](float real) { return quantise(real, out); });
}

// Conv, Gemm, MatMul and the QLinear operators: what a sum of products is multiplied by, of one output channel with the
// scale `weight`. In float32.
[[nodiscard]] inline float sum_scale(const Affine& in, float weight, const Affine& out) {
  return in.scale * weight / out.scale;
}

// A sum times a multiplier of exact_multiplier(), rounded once, halves to even; without the zero point.
[[nodiscard]] inline std::int32_t requantise(std::int32_t sum, const ExactMultiplier& m) {
  const int right = 31 - m.multiplier.shift;
  const std::int64_t y = std::int64_t{sum} * m.multiplier.q + (std::int64_t{1} << (right - 1));
  std::int64_t rounded = y >> right;
  if (m.ties && (y & ((std::int64_t{1} << right) - 1)) == 0) rounded &= ~std::int64_t{1};
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(rounded, -2147483647, 2147483647));
}
// The requantisation of QLinearConv and QLinearMatMul: the product in float32, then rounded.
[[nodiscard]] inline std::int32_t requantise_qlinear(std::int32_t sum, float scale) {
  const float y = std::nearbyint(static_cast<float>(sum) * scale);
  return static_cast<std::int32_t>(std::clamp(y, -2147483520.0F, 2147483520.0F));
}

// A function of reals on an element of `in`, as an element of `out`, not clamped: for tables of 256.
template <class F>
[[nodiscard]] std::int64_t apply(const F& f, std::int64_t q, const Affine& in, const Affine& out) {
  return quantise(static_cast<float>(f(dequantise(q, in))), out);
}

}  // namespace byoc::onnx
