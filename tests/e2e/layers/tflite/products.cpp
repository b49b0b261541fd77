#include "tests/e2e/layers/tflite/products.hpp"

#include <algorithm>
#include <cmath>

namespace byoc::test {

TensorData random_weights(Random& random, const ProductTypes& types, Shape shape, std::int32_t axis) {
  TfliteQuantisation q;
  if (types.weights != TensorType::FLOAT32) {
    const std::size_t count = types.per_axis ? static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]) : 1;
    for (std::size_t i = 0; i < count; ++i) q.scales.push_back(random.scale(1e-3, 1e-1));
    q.zero_points.assign(count, 0);
    q.axis = axis;
  }
  TensorData out = random_data(random, types.weights, std::move(shape), q);
  // As TensorFlow Lite's converter has them: some kernels take but such.
  if (types.weights == TensorType::INT8 && random.chance(60))
    for (std::int64_t& w : out.ints) w = std::max<std::int64_t>(w, -127);
  return out;
}

std::optional<TensorData> random_bias(Random& random, const ProductTypes& types, const TensorData& x,
                                      const TensorData& weights, std::int32_t channels) {
  if (random.chance(15)) return std::nullopt;
  if (types.activation == TensorType::FLOAT32) return random_data(random, TensorType::FLOAT32, {channels});
  TfliteQuantisation q;
  for (const float s : weights.q.scales) q.scales.push_back(s * x.scale());
  q.zero_points.assign(q.scales.size(), 0);
  const double size = random.chance(25) ? (types.bias == TensorType::INT64 ? 0x1p40 : 0x1p30 - 1) : 20000;
  return random_data(random, types.bias, {channels}, q, -size, size);
}

TensorData random_result(Random& random, const ProductTypes& types, Shape shape, const Sums& sums, const TensorData& x,
                         const TensorData& weights, bool wide, ActivationFunctionType activation) {
  TensorData out{types.activation, std::move(shape), {}, {}, {}};
  if (out.is_float()) {
    for (const double s : sums) out.floats.push_back(activate(activation, static_cast<float>(s)));
    return out;
  }
  double largest = 1, heaviest = 0;
  for (const double s : sums) largest = std::max(largest, std::abs(s));
  for (const float s : weights.q.scales) heaviest = std::max(heaviest, static_cast<double>(s) * x.scale());
  // The factor of the heaviest channel.
  double factor = random.real(0.3, 3) * static_cast<double>(highest(out.type)) / largest;
  if (random.chance(20)) factor = std::ldexp(random.real(0.5, 1), static_cast<int>(random.between(-31, -16)));
  const double most = wide ? 100.0 : 0x1.fp30 / largest;  // beyond: undefined
  if (random.chance(20)) factor = most * random.real(0.5, 1);
  factor = std::min(factor, most);
  // Refused: a factor of 2^30; and, with one scale for all weights, one that shows how the bias's scale was rounded.
  factor = std::min(factor, weights.q.scales.size() == 1 ? 0x1p18 : 0x1p29);
  out.q = random_quantisation(random, out.type);
  out.q.scales[0] = static_cast<float>(heaviest / factor);
  const IntRange range = activation_range(activation, out);
  const auto channels = static_cast<std::size_t>(out.shape.empty() ? 1 : out.shape.back());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float w = weights.q.scales[weights.q.scales.size() == 1 ? 0 : i % channels];
    const FixedFactor f =
        fixed_factor(static_cast<double>(x.scale()) * static_cast<double>(w) / static_cast<double>(out.scale()));
    const auto sum = static_cast<std::int64_t>(sums[i]);
    const std::int64_t q = (wide ? requantise_wide(sum, f) : requantise(sum, f)) + out.zero_point();
    out.ints.push_back(std::clamp(q, range.low, range.high));
  }
  return out;
}

std::vector<std::int32_t> product_inputs(TfliteModel& model, Random& random, const TensorData& x,
                                         const TensorData& weights, const std::optional<TensorData>& bias) {
  // Zero points that kernels ignore are dropped from constants; of computed weights they are refused.
  const auto& zeros = weights.q.zero_points;
  const bool symmetric = std::all_of(zeros.begin(), zeros.end(), [](std::int64_t z) { return z == 0; });
  const bool computed = random.chance(15) && symmetric;
  if (computed) model.add_text("computed weights");
  std::vector<std::int32_t> out = {model.input(x),
                                   computed && weights.type != TensorType::INT4 && weights.type != TensorType::INT2
                                       ? model.input(weights)
                                       : model.constant(weights)};
  if (bias)
    out.push_back(computed && random.chance(50) ? model.input(*bias) : model.constant(*bias));
  else if (random.chance(50))
    out.push_back(-1);
  return out;
}

}  // namespace byoc::test
