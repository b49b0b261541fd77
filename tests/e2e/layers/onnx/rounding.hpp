// How ONNX quantises: by its definitions, in float32 where they say so.
#pragma once

#include <cstdint>

#include "tests/e2e/layers/data.hpp"

namespace byoc::test {

// One scale, a power of two sometimes, which makes ties, and a zero point anywhere, in the middle, or at an end.
[[nodiscard]] TfliteQuantisation onnx_quantisation(Random&, TensorType, double low = 1e-3, double high = 1);
[[nodiscard]] std::int64_t any_zero_point(Random&, TensorType);
// Near `scale`, a power of two sometimes.
[[nodiscard]] float any_scale(Random&, double low, double high);
[[nodiscard]] float power_of_two(double near);

// DequantizeLinear of element `i` of a tensor, which may be quantised along an axis.
[[nodiscard]] float dequantised(const TensorData&, std::size_t i);
// QuantizeLinear of what becomes element `i` of a tensor: halves to even, NaN to the lowest.
[[nodiscard]] std::int64_t quantised(float value, const TensorData& to, std::size_t i = 0);
// The same without the rounding: the exact quotient and the zero point, within the type's range.
[[nodiscard]] double steps(double value, const TensorData& to);
// The slack of `steps` that are computed in float32 in some order: a part of the type's range.
[[nodiscard]] double slack(TensorType);

// A sum of integer products in steps of the output: its exact product with a float32 factor, rounded once, halves to
// even.
[[nodiscard]] std::int64_t scaled(std::int64_t sum, float factor);
// The same as the product of two float32, rounded again.
[[nodiscard]] std::int64_t scaled_literally(std::int64_t sum, float factor);

}  // namespace byoc::test
