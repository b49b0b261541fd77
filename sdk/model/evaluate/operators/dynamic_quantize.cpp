// byoc.DynamicQuantize: rows of floats as int8, each with the scale that its own range asks for, as TensorFlow Lite's
// kernels do with activations of layers whose weights are int8 (tensor_utils::SymmetricQuantizeFloats and
// AsymmetricQuantizeFloats).
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

struct RowScale {
  float scale = 1;
  float factor = 0;  // what the elements are multiplied by
  std::int32_t zero = 0;
};

RowScale symmetric(float low, float high) {
  const float range = std::max(std::fabs(low), std::fabs(high));
  if (range == 0) return {};
  return {range / 127, 127 / range, 0};
}

// The zero point comes from the end of the range that is nearer to 0.
RowScale asymmetric(float low, float high) {
  const double least = std::min(0.0F, low), most = std::max(0.0F, high);
  if (least == most) return {};
  const double scale = (most - least) / 255;
  const bool from_low = 128 + std::fabs(least / scale) < 127 + std::fabs(most / scale);
  double zero = std::clamp(std::round(from_low ? -128 - least / scale : 127 - most / scale), -128.0, 127.0);
  if (std::isnan(zero)) zero = 0;
  const auto rounded = static_cast<float>(scale);
  return {rounded, 1 / rounded, static_cast<std::int32_t>(zero)};
}

}  // namespace

Outcome dynamic_quantize(const Call& call) {
  if (call.in(0).type.dtype != DType::f32) return call.unsupported_dtype(0, "f32");
  const Dims& dims = *call.in(0).type.dims;
  const std::int64_t axis = call.node.integer("axis", 1);
  if (axis < 0 || axis > static_cast<std::int64_t>(dims.size()))
    return call.error("attribute axis", std::to_string(axis), "0 to " + std::to_string(dims.size()));
  const bool has_zero = call.node.integer("symmetric", 0) == 0;
  const std::span<const float> x = elements<float>(call.in(0));
  const Dims outer(dims.begin(), dims.begin() + axis);
  Result<Buffer> y = call.allocate(DType::i8, dims, 0), scale = call.allocate(DType::f32, outer, 1),
                 zero = call.allocate(DType::i8, outer, 2);
  if (!y || !scale || !zero) return failure;
  const std::size_t rows = scale->as<float>().size(), length = rows == 0 ? 0 : x.size() / rows;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span<const float> row = x.subspan(r * length, length);
    float low = 0, high = 0;
    for (const float v : row) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
    const RowScale to = has_zero ? asymmetric(low, high) : symmetric(low, high);
    for (std::size_t i = 0; i < length; ++i) {
      float steps = static_cast<float>(to.zero) + row[i] * to.factor;
      if (std::isnan(steps)) steps = 0;  // of elements that are infinite
      y->as<std::int8_t>()[r * length + i] =
          static_cast<std::int8_t>(std::clamp(std::round(steps), has_zero ? -128.0F : -127.0F, 127.0F));
    }
    scale->as<float>()[r] = to.scale;
    zero->as<std::int8_t>()[r] = static_cast<std::int8_t>(to.zero);
  }
  std::vector<Tensor> out;
  for (Buffer* b : {&*y, &*scale, &*zero}) out.push_back(std::move(*b).finish());
  return out;
}

}  // namespace byoc::evaluate
