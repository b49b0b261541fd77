#include "sdk/model/import/tflite/weights.hpp"

#include <algorithm>
#include <cmath>

#include "sdk/model/import/tflite/hybrid.hpp"

namespace byoc::tflite {
namespace {

bool is_symmetric(const Quantisation& q) {
  return std::all_of(q.zero_points.begin(), q.zero_points.end(), [](std::int64_t z) { return z == 0; });
}

Result<void> expect_hybrid_weights(OperatorImport& op, const WeightRules& rules) {
  const ir::ValueId w = op.input(rules.weights);
  const Quantisation& q = *op.type(w).quantisation;
  if (!op.value(w).constant)
    return op.refuse("int8 weights of float activations must be constant", "a computed tensor");
  if (!is_symmetric(q)) return op.refuse("unsupported zero point of " + op.describe(w), "one that is not 0", "0");
  if (!q.per_axis() || q.axis == rules.channel_axis) return {};
  return op.refuse("unsupported quantised dimension of " + op.describe(w), std::to_string(q.axis),
                   std::to_string(rules.channel_axis));
}

Result<void> expect_weight_type(OperatorImport& op, const WeightRules& rules) {
  const ir::ValueId w = op.input(rules.weights);
  const DType activation = op.type(op.input(rules.x)).dtype;
  const DType found = op.type(w).dtype;
  if (activation == DType::f32) {
    if (rules.hybrid && is_hybrid(op)) return expect_hybrid_weights(op, rules);
    if (found != DType::f32 && bit_width(found) <= 8)
      return op.refuse("hybrid kernels are not supported: float activations with quantised weights",
                       std::string(to_string(found)) + " weights", "f32");
    return op.expect_dtype(w, {DType::f32});
  }
  const bool packed = activation == DType::i8 && rules.few_bits;
  if (packed ? !op.expect_dtype(w, {DType::i8, DType::i4, DType::i2}) : !op.expect_dtype(w, {DType::i8}))
    return failure;
  if (bit_width(found) < 8 && !op.value(w).constant)
    return op.refuse("weights of fewer than 8 bits must be constant", "a computed tensor");
  const auto& q = op.type(w).quantisation;
  if (!q) return op.refuse(op.describe(w) + " has no quantisation", std::string(to_string(found)));
  if (q->per_axis() && q->axis != rules.channel_axis)
    return op.refuse("unsupported quantised dimension of " + op.describe(w), std::to_string(q->axis),
                     std::to_string(rules.channel_axis));
  if (op.shifted() && q->per_axis())
    return op.refuse(op.describe(w) + " is quantised per axis", std::to_string(q->scales.size()) + " scales of uint8",
                     "one scale");
  // Kernels that do not subtract them ignore zero points, which filter_of() drops from constants.
  if (!is_symmetric(*q) && (rules.weights_zero_point ? q->per_axis() : !op.value(w).constant))
    return op.refuse("unsupported zero point of " + op.describe(w), "one that is not 0", "0");
  return {};
}

// Kernels never rescale the bias: with one scale for all weights its own must be their product's, or nearly so.
Result<void> expect_bias_scale(OperatorImport& op, const WeightRules& rules) {
  const auto& bias = op.type(op.input(rules.bias)).quantisation;
  const Quantisation& w = *op.type(op.input(rules.weights)).quantisation;
  if (!bias || bias->per_axis() || w.per_axis()) return {};
  const double product =
      static_cast<double>(op.type(op.input(rules.x)).quantisation->scales[0]) * static_cast<double>(w.scales[0]);
  const double difference = std::abs(product - static_cast<double>(bias->scales[0]));
  if (difference / static_cast<double>(op.type(op.output()).quantisation->scales[0]) <= 0.02) return {};
  return op.refuse("the scale of " + op.describe(op.input(rules.bias)) + " is not that of its input and weights",
                   std::to_string(bias->scales[0]), std::to_string(product));
}

Result<void> expect_bias(OperatorImport& op, const WeightRules& rules, schema::TensorType bias_type) {
  const ir::ValueId bias = op.input(rules.bias);
  const DType activation = op.type(op.input(rules.x)).dtype;
  const bool wide = activation == DType::i16;
  using schema::TensorType;
  if (bias_type != TensorType::FLOAT32 && bias_type != TensorType::INT32 && bias_type != TensorType::INT64)
    return op.refuse("unsupported quantized_bias_type", std::to_string(static_cast<int>(bias_type)),
                     "INT32, INT64 or none");
  const bool wants_int32 = bias_type == TensorType::INT32;
  const bool wants_int64 = bias_type == TensorType::INT64;
  if (bias == ir::kNoValue) {
    // Without a bias the accumulator of int8 kernels is 32 bits wide; that of int16 kernels is as the option says.
    if (activation == DType::i8 && wants_int64)
      return op.refuse("unsupported quantized_bias_type without a bias", "INT64");
    return {};
  }
  if (activation == DType::f32) {
    if (!op.expect_dtype(bias, {DType::f32})) return failure;
  } else if (!wide) {
    if (!op.expect_dtype(bias, {DType::i32})) return failure;
  } else if (rules.int16_takes_int32_bias) {
    if (!op.expect_dtype(bias, {DType::i64, DType::i32})) return failure;
  } else if (!op.expect_dtype(bias, {DType::i64})) {
    return failure;
  }
  const DType found = op.type(bias).dtype;
  if ((wants_int32 && found != DType::i32) || (wants_int64 && found != DType::i64))
    return op.refuse("quantized_bias_type is not the type of " + op.describe(bias), wants_int32 ? "INT32" : "INT64",
                     std::string(to_string(found)));
  const auto& weights = op.dims(op.input(rules.weights));
  if (!op.expect_dims(bias, {weights[static_cast<std::size_t>(rules.channel_axis)]})) return failure;
  return activation == DType::f32 ? Result<void>() : expect_bias_scale(op, rules);
}

}  // namespace

Result<void> expect_weights(OperatorImport& op, const WeightRules& rules, schema::TensorType bias_type) {
  if (!op.expect_activations(op.input(rules.x), op.output())) return failure;
  if (!expect_weight_type(op, rules)) return failure;
  return expect_bias(op, rules, bias_type);
}

ir::ValueId filter_of(OperatorImport& op, std::size_t weights) {
  const ir::ValueId w = op.input(weights);
  const auto& q = op.type(w).quantisation;
  if (!q || op.shifted() || is_symmetric(*q)) return w;
  ir::TensorType type = op.type(w);
  std::fill(type.quantisation->zero_points.begin(), type.quantisation->zero_points.end(), 0);
  return op.graph().add_constant(op.value(w).name, std::move(type), op.value(w).constant->bytes);
}

ir::ValueId bias_of(OperatorImport& op, ir::Dim channels, schema::TensorType bias_type) {
  if (op.input(2) != ir::kNoValue || op.type(op.input(0)).dtype != DType::i16 || bias_type != schema::TensorType::INT32)
    return op.input(2);
  const ir::ValueId zeros = op.add_tensor(DType::i32, {channels});
  ir::Node& node = op.node("ConstantOfShape", {op.add_integers({channels})}, {zeros});
  const ir::TensorType one{DType::i32, std::vector<ir::Dim>{1}, std::nullopt};
  node.attributes["value"] = ir::Tensor{one, Blob::own(std::vector<std::byte>(one.bytes()))};
  return zeros;
}

void describe_product(const OperatorImport& op, ir::Node& node) {
  if (op.shifted()) node.attributes["scale_product"] = std::string("f32");
}

}  // namespace byoc::tflite
