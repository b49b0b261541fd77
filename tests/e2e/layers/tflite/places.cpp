#include "tests/e2e/layers/tflite/places.hpp"

namespace byoc::test {

TensorType movable_type(Random& random) {
  using enum TensorType;
  return random.pick({INT8, INT8, INT16, FLOAT32, INT32, INT64, BOOL});
}

TensorData movable_data(Random& random, TensorType type, Shape shape) {
  if (type == TensorType::INT64) return random_data(random, type, std::move(shape), {}, -1e15, 1e15);
  const bool is_quantised = type == TensorType::INT8 || type == TensorType::INT16;
  return random_data(random, type, std::move(shape),
                     is_quantised ? random_quantisation(random, type) : TfliteQuantisation{});
}

std::int32_t operand(TfliteModel& model, Random& random, const TensorData& x) {
  return random.chance(20) ? model.constant(x) : model.input(x);
}

std::int32_t integers(TfliteModel& model, const std::vector<std::int32_t>& values, Shape shape) {
  return model.constant({TensorType::INT32, std::move(shape), {}, {values.begin(), values.end()}, {}});
}

std::int32_t integers(TfliteModel& model, const std::vector<std::int32_t>& values) {
  return integers(model, values, {static_cast<std::int32_t>(values.size())});
}

}  // namespace byoc::test
