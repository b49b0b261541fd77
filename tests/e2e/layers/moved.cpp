#include "tests/e2e/layers/moved.hpp"

namespace byoc::test {

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

}  // namespace byoc::test
