#include "tests/e2e/layers/onnx/rounding.hpp"

#include <algorithm>
#include <cmath>

namespace byoc::test {
namespace {

std::size_t parameter_of(const TensorData& t, std::size_t i) {
  if (t.q.axis < 0 || t.q.scales.size() == 1) return 0;
  std::size_t inner = 1;
  for (auto d = static_cast<std::size_t>(t.q.axis) + 1; d < t.shape.size(); ++d)
    inner *= static_cast<std::size_t>(t.shape[d]);
  return i / inner % t.q.scales.size();
}

std::int64_t saturated(double value, double low, double high) {
  if (std::isnan(value)) return 0;
  return static_cast<std::int64_t>(std::clamp(value, low, high));
}

}  // namespace

float power_of_two(double near) { return static_cast<float>(std::exp2(std::round(std::log2(near)))); }

float any_scale(Random& random, double low, double high) {
  const float scale = random.scale(low, high);
  return random.chance(35) ? power_of_two(static_cast<double>(scale)) : scale;
}

std::int64_t any_zero_point(Random& random, TensorType type) {
  const std::int64_t low = lowest(type), high = highest(type);
  if (random.chance(40)) return random.pick({low, high, low / 2 + high / 2 + 1, std::int64_t{0}});
  return random.between(low, high);
}

TfliteQuantisation onnx_quantisation(Random& random, TensorType type, double low, double high) {
  return {{any_scale(random, low, high)}, {any_zero_point(random, type)}, -1};
}

float dequantised(const TensorData& t, std::size_t i) {
  const std::size_t p = parameter_of(t, i);
  return static_cast<float>(t.ints[i] - t.q.zero_points[p]) * t.q.scales[p];
}

std::int64_t quantised(float value, const TensorData& to, std::size_t i) {
  const std::size_t p = parameter_of(to, i);
  const float steps = std::nearbyint(value / to.q.scales[p]);
  if (std::isnan(steps)) return lowest(to.type);
  const double moved = static_cast<double>(steps) + static_cast<double>(to.q.zero_points[p]);
  return saturated(moved, static_cast<double>(lowest(to.type)), static_cast<double>(highest(to.type)));
}

double steps(double value, const TensorData& to) {
  return std::clamp(value / static_cast<double>(to.scale()) + static_cast<double>(to.zero_point()),
                    static_cast<double>(lowest(to.type)), static_cast<double>(highest(to.type)));
}

double slack(TensorType type) { return 2e-6 * static_cast<double>(highest(type) - lowest(type)) + 1e-3; }

std::int64_t scaled(std::int64_t sum, float factor) {
  // 32 bits times 24: exact in the 64 bits of a long double's mantissa.
  const long double product = static_cast<long double>(sum) * static_cast<long double>(factor);
  return saturated(static_cast<double>(std::nearbyint(product)), -0x1p40, 0x1p40);
}

std::int64_t scaled_literally(std::int64_t sum, float factor) {
  return saturated(static_cast<double>(std::nearbyint(static_cast<float>(sum) * factor)), -0x1p40, 0x1p40);
}

}  // namespace byoc::test
