#include "tests/e2e/tflite/places.hpp"

namespace byoc::test {

std::size_t place(const Shape& shape, const Index& index) {
  std::size_t at = 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    at = at * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(index[d]);
  return at;
}

void for_each_index(const Shape& shape, const std::function<void(const Index&)>& f) {
  Index index(shape.size(), 0);
  for (const std::int32_t d : shape)
    if (d == 0) return;
  while (true) {
    f(index);
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

void append(TensorData& to, const TensorData& from, std::size_t at) {
  if (to.is_float())
    to.floats.push_back(from.floats[at]);
  else
    to.ints.push_back(from.ints[at]);
}

void append(TensorData& to, std::int64_t value) {
  if (to.is_float())
    to.floats.push_back(static_cast<float>(value));
  else
    to.ints.push_back(value);
}

TensorData moved(const TensorData& x, Shape shape, const std::function<Index(const Index&)>& source,
                 std::int64_t fill) {
  TensorData y{x.type, std::move(shape), x.q, {}, {}};
  for_each_index(y.shape, [&](const Index& index) {
    const Index from = source(index);
    if (from.size() == x.shape.size())
      append(y, x, place(x.shape, from));
    else
      append(y, fill);
  });
  return y;
}

Shape random_shape(Random& random, std::int32_t least, std::int32_t most, std::int32_t longest) {
  Shape out(static_cast<std::size_t>(random.size(least, most)));
  for (std::int32_t& d : out) d = random.size(1, longest);
  return out;
}

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

std::int32_t operand(Sweep& sweep, Random& random, const TensorData& x) {
  return random.chance(20) ? sweep.constant(x) : sweep.input(x);
}

std::int32_t integers(Sweep& sweep, const std::vector<std::int32_t>& values, Shape shape) {
  return sweep.constant({TensorType::INT32, std::move(shape), {}, {values.begin(), values.end()}, {}});
}

std::int32_t integers(Sweep& sweep, const std::vector<std::int32_t>& values) {
  return integers(sweep, values, {static_cast<std::int32_t>(values.size())});
}

}  // namespace byoc::test
