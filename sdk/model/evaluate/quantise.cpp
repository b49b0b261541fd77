#include "sdk/model/evaluate/quantise.hpp"

#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/small_element.hpp"

namespace byoc::evaluate {
namespace {

bool is_activation_type(DType t) { return t == DType::i8 || t == DType::u8 || t == DType::i16 || t == DType::u16; }

Result<Affine> affine(const Call& call, const ir::TensorType* type, const std::string& what) {
  if (type == nullptr || !type->quantisation) return call.error(what + " is not quantised");
  const Quantisation& q = *type->quantisation;
  if (!is_activation_type(type->dtype))
    return call.error("element type of " + what + " cannot be a quantised activation",
                      std::string(to_string(type->dtype)), "i8, u8, i16 or u16");
  if (q.per_axis() || q.scales.size() != 1 || q.zero_points.size() != 1)
    return call.error(what + " must be quantised per tensor", std::to_string(q.scales.size()) + " scales", "one");
  const IntegerRange range = integer_range(type->dtype);
  if (!std::isfinite(q.scales[0]) || q.scales[0] <= 0)
    return call.error("scale of " + what + " is out of range", std::to_string(q.scales[0]), "a positive finite number");
  if (q.zero_points[0] < range.low || q.zero_points[0] > range.high)
    return call.error("zero point of " + what + " is outside its element type", std::to_string(q.zero_points[0]));
  return Affine{q.scales[0], q.zero_points[0], range};
}

double round_as(Requant mode, float value) {
  return mode == Requant::tflite ? std::round(value) : std::nearbyint(value);
}

}  // namespace

Result<Affine> affine_input(const Call& call, std::size_t input) {
  return affine(call, &call.in(input).type, "input " + std::to_string(input));
}

Result<Affine> affine_output(const Call& call, std::size_t output) {
  return affine(call, call.declared(output), "output " + std::to_string(output));
}

bool is_quantised(const Call& call) {
  return call.quantisation_of(0) != nullptr && call.quantisation_of_output() != nullptr;
}

std::int64_t quantise(float value, const Affine& to, Requant rounding) {
  const double q = round_as(rounding, value / to.scale) + static_cast<double>(to.zero_point);
  if (!(q > static_cast<double>(to.range.low))) return to.range.low;  // NaN too
  if (q > static_cast<double>(to.range.high)) return to.range.high;
  return static_cast<std::int64_t>(q);
}

float dequantise(std::int64_t q, const Affine& from) { return static_cast<float>(q - from.zero_point) * from.scale; }

Result<Bounds> activation_bounds(const Call& call) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string name = call.node.text("activation", "none");
  if (name == "none") return Bounds{-kInfinity, kInfinity};
  if (name == "relu") return Bounds{0, kInfinity};
  if (name == "relu6") return Bounds{0, 6};
  if (name == "relu_n1_to_1") return Bounds{-1, 1};
  return call.error("unknown fused activation", name, "none, relu, relu6 or relu_n1_to_1");
}

Result<IntegerRange> activation_range(const Call& call, const Affine& out) {
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  IntegerRange range = out.range;
  // quantise() saturates, so a bound outside the element type leaves the type's own bound.
  if (std::isfinite(bounds->low)) range.low = quantise(static_cast<float>(bounds->low), out, call.graph.requant);
  if (std::isfinite(bounds->high)) range.high = quantise(static_cast<float>(bounds->high), out, call.graph.requant);
  return range;
}

Result<FilterScales> filter_scales(const Call& call, std::size_t input, std::size_t axis, std::int64_t channels) {
  const Tensor& w = call.in(input);
  const std::string what = "input " + std::to_string(input);
  if (!w.type.quantisation) return call.error(what + " is not quantised", describe(w));
  if (!is_activation_type(w.type.dtype)) return call.unsupported_dtype(input, "i8, u8, i16 or u16");
  const Quantisation& q = *w.type.quantisation;
  if (q.per_axis() && static_cast<std::size_t>(q.axis) != axis)
    return call.error("the weights are quantised along the wrong axis", std::to_string(q.axis), std::to_string(axis));
  const std::size_t count = q.per_axis() ? static_cast<std::size_t>(channels) : 1;
  if (q.scales.size() != count || q.zero_points.size() != count)
    return call.error(
        "the quantisation of " + what + " does not fit",
        std::to_string(q.scales.size()) + " scales and " + std::to_string(q.zero_points.size()) + " zero points",
        std::to_string(count));
  for (const float s : q.scales)
    if (!std::isfinite(s) || s <= 0)
      return call.error("scale of " + what + " is out of range", std::to_string(s), "a positive finite number");
  return FilterScales{q.scales, q.zero_points};
}

void round_products(const Call& call, Affine& in, FilterScales& weights) {
  if (call.node.text("scale_product", "f64") != "f32") return;
  for (float& s : weights.scales) s *= in.scale;
  in.scale = 1;
}

Result<std::vector<std::int64_t>> quantised_bias(const Call& call, std::size_t input) {
  if (call.find(input) == nullptr) return std::vector<std::int64_t>{};
  return call.integers(input);
}

Scaling onnx_scaling(const Call& call, std::size_t x, std::size_t w) {
  const bool wide = bit_width(call.in(x).type.dtype) == 16 || bit_width(call.in(w).type.dtype) == 16;
  return wide ? Scaling::onnx_wide : Scaling::onnx;
}

Requantiser::Requantiser(Scaling scaling, float in_scale, std::span<const float> weight_scales, const Affine& out,
                         IntegerRange clamp)
    : scaling_(scaling), zero_point_(out.zero_point), clamp_(clamp) {
  for (const float w : weight_scales) {
    if (scaling == Scaling::tflite || scaling == Scaling::tflite_wide)
      multipliers_.push_back(
          quantise_multiplier(static_cast<double>(in_scale) * static_cast<double>(w) / static_cast<double>(out.scale)));
    else
      scales_.push_back(in_scale * w / out.scale);
  }
}

namespace {

// Beyond 2^31 every value is outside the clamp whatever the zero point. NaN is 0 times a scale that overflowed.
std::int64_t bounded(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<std::int64_t>(std::nearbyint(std::clamp(value, -2147483648.0, 2147483648.0)));
}

__extension__ using Wide = __int128;

// accumulator * scale, exact, rounded half to even: the scale is 24 bits times a power of two, so that the product of
// the integers has at most 88.
std::int64_t scale_exactly(std::int64_t accumulator, float scale) {
  if (!std::isfinite(scale)) return bounded(static_cast<double>(accumulator) * static_cast<double>(scale));
  int exponent = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(scale, &exponent), 24));
  const Wide product = static_cast<Wide>(accumulator) * mantissa;
  const int right = 24 - exponent;  // the result is product / 2^right
  if (right <= 0) return bounded(std::ldexp(static_cast<double>(product), -right));
  if (right > 100) return 0;
  const Wide half = Wide{1} << (right - 1);
  const Wide rounded_up = (product + half) >> right;
  const bool tie = ((product + half) & ((Wide{1} << right) - 1)) == 0;
  return bounded(static_cast<double>(tie ? rounded_up & ~Wide{1} : rounded_up));
}

}  // namespace

std::int64_t Requantiser::operator()(std::int64_t accumulator, std::size_t channel) const {
  // All but the wide accumulators have 32 bits.
  const auto narrow_sum = static_cast<std::int32_t>(accumulator);
  const std::size_t c = std::max(multipliers_.size(), scales_.size()) == 1 ? 0 : channel;
  std::int64_t q = 0;
  switch (scaling_) {
    case Scaling::tflite: q = multiply_by_quantised(narrow_sum, multipliers_[c]); break;
    case Scaling::tflite_wide: q = multiply_by_quantised_wide(accumulator, multipliers_[c]); break;
    case Scaling::onnx: q = scale_exactly(narrow_sum, scales_[c]); break;
    case Scaling::onnx_wide: q = scale_exactly(accumulator, scales_[c]); break;
    case Scaling::onnx_literal: q = bounded(static_cast<double>(static_cast<float>(narrow_sum) * scales_[c])); break;
  }
  return std::clamp(q + zero_point_, clamp_.low, clamp_.high);
}

std::vector<std::int32_t> centred(const Tensor& tensor, std::int64_t zero_point) {
  std::vector<std::int32_t> out;
  (void)dispatch(tensor.type.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> in = elements<T>(tensor);
      out.resize(in.size());
      for (std::size_t i = 0; i < in.size(); ++i)
        out[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(in[i]) - zero_point);
    }
  });
  return out;
}

Result<Tensor> from_integers(const Call& call, DType dtype, Dims dims, std::span<const std::int64_t> values,
                             std::size_t output) {
  Result<Buffer> buffer = call.allocate(dtype, std::move(dims), output);
  if (!buffer) return failure;
  if (is_small(dtype)) {
    std::vector<unsigned> bits;
    for (const std::int64_t v : values) bits.push_back(small_code(dtype, v));
    buffer->bytes = packed(dtype, bits);
  }
  (void)dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const std::span<T> out = buffer->as<T>();
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(values[i]);
    }
  });
  return std::move(*buffer).finish();
}

}  // namespace byoc::evaluate
