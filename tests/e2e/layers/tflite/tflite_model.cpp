#include "tests/e2e/layers/tflite/tflite_model.hpp"

namespace byoc::test {

TfliteQuantisation random_quantisation(Random& random, TensorType type, double low, double high) {
  if (type == TensorType::FLOAT32) return {};
  std::int64_t zero_point = 0;
  if (type == TensorType::INT8)
    zero_point = random.chance(40) ? random.pick<std::int64_t>({-128, 127, 0}) : random.between(-128, 127);
  return {{random.scale(low, high)}, {zero_point}, 0};
}

std::string TfliteModel::next_name(const char* kind) { return name(kind, writer.graph().tensors.size()); }

std::int32_t TfliteModel::input(const TensorData& data) {
  add_input(data);
  input_ids_.push_back(writer.add(next_name("x"), data.type, data.shape, data.q));
  return input_ids_.back();
}

std::int32_t TfliteModel::constant(const TensorData& data) {
  return writer.constant(next_name("c"), data.type, data.shape, data.bytes(), data.q);
}

std::int32_t TfliteModel::output(const TensorData& expected, double tolerance) {
  expect(expected, tolerance);
  output_ids_.push_back(writer.add(next_name("y"), expected.type, expected.shape, expected.q));
  return output_ids_.back();
}

void TfliteModel::give(std::int32_t tensor, const TensorData& expected, double tolerance) {
  expect(expected, tolerance);
  output_ids_.push_back(tensor);
}

std::int32_t TfliteModel::variable(TensorType type, Shape shape, TfliteQuantisation q) {
  return writer.variable(next_name("v"), type, std::move(shape), std::move(q));
}

std::int32_t TfliteModel::between(TensorType type, Shape shape, TfliteQuantisation q) {
  return writer.add(next_name("t"), type, std::move(shape), std::move(q));
}

std::string TfliteModel::bytes() {
  writer.select(0);
  writer.boundary(input_ids_, output_ids_);
  return writer.bytes();
}

}  // namespace byoc::test
