// What sums of products have in common: weights, biases, and results from their accumulators.
#pragma once

#include <optional>

#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {

// The element types of a product.
struct ProductTypes {
  TensorType activation = TensorType::INT8;
  TensorType weights = TensorType::INT8;
  bool per_axis = false;                // a scale for each channel
  TensorType bias = TensorType::INT32;  // of quantised kernels
};

// Weights with one scale, or one for each index of `axis`. Zero points are 0.
[[nodiscard]] TensorData random_weights(Random&, const ProductTypes&, Shape, std::int32_t axis);

// A bias for each channel, as large as 2^30 (int64: 2^40) sometimes; none sometimes.
[[nodiscard]] std::optional<TensorData> random_bias(Random&, const ProductTypes&, const TensorData& x,
                                                    const TensorData& weights, std::int32_t channels);

// Accumulators of exact sums; floats are sums of multiples of 1/256 that fit a float.
using Sums = std::vector<double>;

// The result of type `types.activation` from its sums, bias included; the last dimension of `shape` is the channel.
// Quantised: with a quantisation that makes a sensible, a tiny or the largest possible factor, a left shift even.
// `wide`: the accumulator has 64 bits.
[[nodiscard]] TensorData random_result(Random&, const ProductTypes&, Shape shape, const Sums& sums, const TensorData& x,
                                       const TensorData& weights, bool wide, ActivationFunctionType);

// Adds the inputs [x, weights, bias]; weights and bias are computed by the caller of the model sometimes. A missing
// bias is left off, or -1.
[[nodiscard]] std::vector<std::int32_t> product_inputs(TfliteModel&, Random&, const TensorData& x,
                                                       const TensorData& weights,
                                                       const std::optional<TensorData>& bias);

}  // namespace byoc::test
