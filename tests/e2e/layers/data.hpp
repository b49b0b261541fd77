// Tensors of test cases, with their values as a test sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tests/e2e/layers/random.hpp"
#include "tests/support/tflite_writer.hpp"

namespace byoc::test {

using schema::TensorType;
using Shape = std::vector<std::int32_t>;

// Integers (bool: 0 and 1), or floats of FLOAT32 tensors.
struct TensorData {
  TensorType type = TensorType::INT8;
  Shape shape;
  TfliteQuantisation q;
  std::vector<std::int64_t> ints;
  std::vector<float> floats;

  [[nodiscard]] bool is_float() const { return type == TensorType::FLOAT32; }
  [[nodiscard]] std::size_t elements() const;  // of the shape
  [[nodiscard]] std::int64_t zero_point() const { return q.zero_points.empty() ? 0 : q.zero_points[0]; }
  [[nodiscard]] float scale() const { return q.scales.empty() ? 1.0f : q.scales[0]; }
  // As the tensor's buffer has them.
  [[nodiscard]] std::vector<std::uint8_t> bytes() const;
};

[[nodiscard]] std::int64_t lowest(TensorType);
[[nodiscard]] std::int64_t highest(TensorType);
[[nodiscard]] std::int64_t clamp_to(TensorType type, std::int64_t v);

// Values over the type's whole range, its ends often; of floats, multiples of 1/16 in [-8, 8], which sums of products
// hold exactly in any order.
[[nodiscard]] TensorData random_data(Random&, TensorType, Shape, TfliteQuantisation q = {});
// The same with integers or floats in [low, high].
[[nodiscard]] TensorData random_data(Random&, TensorType, Shape, TfliteQuantisation q, double low, double high);

// Of `least` to `most` dimensions, each of 1 to `longest`.
[[nodiscard]] Shape random_shape(Random&, std::int32_t least, std::int32_t most, std::int32_t longest = 6);
// A number of channels or units: mostly few, sometimes more than the lanes and blocks of any kernel.
[[nodiscard]] std::int32_t random_channels(Random&, std::int32_t usual);

using Index = std::vector<std::int32_t>;
// The place of an index in a row-major tensor.
[[nodiscard]] std::size_t place(const Shape& shape, const Index& index);
// Calls f with every index in row-major order.
void for_each_index(const Shape& shape, const std::function<void(const Index&)>& f);

}  // namespace byoc::test
