// What sums of quantised products have in common: weights, biases, clamps behind them, and results from their sums.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tests/e2e/layers/onnx/onnx_model.hpp"
#include "tests/e2e/layers/onnx/rounding.hpp"

namespace byoc::test {

// The element types of a product.
struct OnnxProductTypes {
  TensorType x = TensorType::INT8, weights = TensorType::INT8, y = TensorType::INT8;
  bool per_axis = false;     // a scale and a zero point for each channel
  bool weight_zero = false;  // zero points of weights are anywhere, else in the middle
};
// Those of 8 bits, and then those with 16.
inline constexpr OnnxProductTypes kProductTypes[] = {
    {TensorType::INT8, TensorType::INT8, TensorType::INT8, true, false},
    {TensorType::UINT8, TensorType::INT8, TensorType::UINT8, true, false},
    {TensorType::UINT8, TensorType::UINT8, TensorType::UINT8, false, true},
    {TensorType::INT8, TensorType::INT8, TensorType::INT8, false, true},
    {TensorType::UINT8, TensorType::INT8, TensorType::INT8, false, false},
    {TensorType::INT8, TensorType::UINT8, TensorType::UINT8, true, true},
    {TensorType::UINT8, TensorType::UINT8, TensorType::INT8, true, false},
    {TensorType::INT16, TensorType::INT8, TensorType::INT16, true, false},
    {TensorType::UINT16, TensorType::UINT8, TensorType::INT16, false, true},
    {TensorType::INT16, TensorType::INT16, TensorType::INT16, true, false},
};
inline constexpr std::size_t kByteTypes = 7;
[[nodiscard]] std::string text(const OnnxProductTypes&);

// How many products fit into a sum of 32 bits beside any bias of random_bias().
[[nodiscard]] std::int32_t largest_depth(const OnnxProductTypes&);

[[nodiscard]] TensorData random_activations(Random&, const OnnxProductTypes&, Shape);
[[nodiscard]] TensorData random_weights(Random&, const OnnxProductTypes&, Shape, std::int32_t axis);
[[nodiscard]] std::int64_t zero_point(const TensorData& weights, std::int32_t channel);

// A clamp of real numbers: none, Relu, or Clip with one bound or two.
struct OnnxClamp {
  std::string op;
  std::optional<float> low, high;
};
[[nodiscard]] OnnxClamp random_clamp(Random&);
[[nodiscard]] std::string add_clamp(OnnxModel&, const OnnxClamp&, const std::string& real);
// Quantising is monotone: integers are clamped by quantised bounds.
[[nodiscard]] std::int64_t clamped(std::int64_t q, const OnnxClamp&, const TensorData& y);

// A product of x and weights, both quantised, and the integers that it sums up, in the order of the result.
struct OnnxProduct {
  OnnxProductTypes types;
  TensorData x, weights;
  Shape shape;                         // of the result
  std::int32_t channels = 1, run = 1;  // of the result: channels repeat, each a run of so many elements
  std::int32_t depth = 1;              // products in a sum
  std::vector<std::int64_t> sums;
  std::int64_t largest = 0;  // sum of the absolute values of products
  bool is_real = false;      // integers are not lifted from this one: sums are those of float32

  [[nodiscard]] std::size_t channel(std::size_t i) const {
    return i / static_cast<std::size_t>(run) % static_cast<std::size_t>(channels);
  }
};

// DequantizeLinear of both operands, the product, a clamp, QuantizeLinear. `product` adds the operator: names of real
// x, real weights and, if there is one, the bias, to the name of the result. A bias has the shape `bias_shape`, of a
// real one element or one for each channel.
using AddProduct = std::function<std::string(const OnnxModel::Names& operands)>;
void add_dequantised_product(OnnxModel&, Random&, OnnxProduct, const Shape& bias_shape, const AddProduct& product);

// The same as an operator with its quantisation as operands: x, weights and the result, each with scale and zero point,
// and a bias where the operator takes one. Its sums are rounded once, or first to float32.
enum class SumRounding { exact, literal };
using AddQlinear = std::function<void(const OnnxModel::Names& inputs, const std::string& output)>;
void add_qlinear_product(OnnxModel&, Random&, OnnxProduct, SumRounding, bool takes_bias, const AddQlinear& add);

}  // namespace byoc::test
