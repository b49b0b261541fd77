#include "tests/e2e/layers/broadcasting.hpp"

namespace byoc::test {
namespace {

// The element of `shape` that a position of `out` reads.
std::size_t offset(const Shape& shape, const Shape& out, std::size_t position) {
  std::size_t at = 0, stride = 1;
  for (std::size_t i = 1; i <= out.size(); ++i) {
    const auto length = static_cast<std::size_t>(out[out.size() - i]);
    const std::size_t index = position % length;
    position /= length;
    if (i > shape.size()) continue;
    const auto own = static_cast<std::size_t>(shape[shape.size() - i]);
    at += (own == 1 ? 0 : index) * stride;
    stride *= own;
  }
  return at;
}

}  // namespace

BroadcastShapes random_broadcast(Random& random, std::int32_t rank) {
  BroadcastShapes s;
  const std::int32_t dims = random.size(0, rank);
  for (std::int32_t d = 0; d < dims; ++d) {
    const std::int32_t length = random.size(1, 5);
    s.y.push_back(length);
    s.a.push_back(length);
    s.b.push_back(length);
  }
  if (random.chance(40)) return s;
  Shape& narrow = random.chance(50) ? s.a : s.b;
  for (std::int32_t& d : narrow)
    if (random.chance(50)) d = 1;
  Shape& other = &narrow == &s.a ? s.b : s.a;
  for (std::size_t i = 0; i < narrow.size(); ++i)
    if (narrow[i] != 1 && random.chance(30)) other[i] = 1;
  while (!narrow.empty() && narrow.front() == 1 && random.chance(60)) narrow.erase(narrow.begin());
  return s;
}

void for_each_pair(const BroadcastShapes& s, const std::function<void(std::size_t, std::size_t)>& f) {
  std::size_t count = 1;
  for (const std::int32_t d : s.y) count *= static_cast<std::size_t>(d);
  for (std::size_t i = 0; i < count; ++i) f(offset(s.a, s.y, i), offset(s.b, s.y, i));
}

std::string text(const Shape& shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return out + "]";
}

}  // namespace byoc::test
