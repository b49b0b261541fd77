// Tensors of float32 as their operators compute them: in double, index by index.
#pragma once

#include <cmath>

#include "tests/e2e/layers/onnx/onnx_model.hpp"

namespace byoc::test {

// Of results that are computed in float32.
inline constexpr double kFloats = 5e-5;

[[nodiscard]] inline TensorData floats(Random& random, Shape shape, double low = -2, double high = 2) {
  return random_data(random, TensorType::FLOAT32, std::move(shape), {}, low, high);
}
[[nodiscard]] inline TensorData zeros(Shape shape) {
  TensorData out{TensorType::FLOAT32, std::move(shape), {}, {}, {}};
  out.floats.resize(out.elements());
  return out;
}
[[nodiscard]] inline double at(const TensorData& t, const Index& i) {
  return static_cast<double>(t.floats[place(t.shape, i)]);
}
[[nodiscard]] inline float& element(TensorData& t, const Index& i) { return t.floats[place(t.shape, i)]; }
[[nodiscard]] inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// What lies outside is 0.
[[nodiscard]] inline double at_or_zero(const TensorData& t, const Index& i) {
  for (std::size_t d = 0; d < i.size(); ++d)
    if (i[d] < 0 || i[d] >= t.shape[d]) return 0;
  return at(t, i);
}

}  // namespace byoc::test
