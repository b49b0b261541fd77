#include "tests/e2e/layers/data.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace byoc::test {
namespace {

std::size_t width(TensorType type) {
  switch (type) {
    case TensorType::INT8:
    case TensorType::UINT8:
    case TensorType::BOOL: return 1;
    case TensorType::INT16:
    case TensorType::UINT16: return 2;
    case TensorType::INT32:
    case TensorType::UINT32: return 4;
    default: return 8;
  }
}

}  // namespace

std::size_t TensorData::elements() const {
  std::size_t n = 1;
  for (const std::int32_t d : shape) n *= static_cast<std::size_t>(d);
  return n;
}

std::vector<std::uint8_t> TensorData::bytes() const {
  std::vector<std::uint8_t> out;
  if (type == TensorType::INT4) return TfliteWriter::packed(ints, 4);
  if (type == TensorType::INT2) return TfliteWriter::packed(ints, 2);
  for (const float f : floats)
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(f) >> (8 * i)));
  for (const std::int64_t v : ints)
    for (std::size_t i = 0; i < width(type); ++i)
      out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(v) >> (8 * i)));
  return out;
}

std::int64_t lowest(TensorType type) {
  switch (type) {
    case TensorType::INT2: return -2;
    case TensorType::INT4: return -8;
    case TensorType::INT8: return -128;
    case TensorType::INT16: return -32768;
    case TensorType::INT32: return std::numeric_limits<std::int32_t>::min();
    case TensorType::INT64: return std::numeric_limits<std::int64_t>::min();
    default: return 0;
  }
}

std::int64_t highest(TensorType type) {
  switch (type) {
    case TensorType::BOOL: return 1;
    case TensorType::INT2: return 1;
    case TensorType::INT4: return 7;
    case TensorType::INT8: return 127;
    case TensorType::UINT8: return 255;
    case TensorType::INT16: return 32767;
    case TensorType::UINT16: return 65535;
    case TensorType::INT32: return std::numeric_limits<std::int32_t>::max();
    case TensorType::UINT32: return std::numeric_limits<std::uint32_t>::max();
    default: return std::numeric_limits<std::int64_t>::max();
  }
}

TensorData random_data(Random& random, TensorType type, Shape shape, TfliteQuantisation q) {
  TensorData out{type, std::move(shape), std::move(q), {}, {}};
  for (std::size_t i = 0; i < out.elements(); ++i) {
    if (out.is_float())
      out.floats.push_back(static_cast<float>(random.between(-128, 128)) / 16);
    else if (random.chance(6))
      out.ints.push_back(random.chance(50) ? lowest(type) : highest(type));
    else
      out.ints.push_back(random.between(lowest(type), highest(type)));
  }
  return out;
}

TensorData random_data(Random& random, TensorType type, Shape shape, TfliteQuantisation q, double low, double high) {
  TensorData out{type, std::move(shape), std::move(q), {}, {}};
  for (std::size_t i = 0; i < out.elements(); ++i) {
    if (out.is_float())
      out.floats.push_back(static_cast<float>(random.real(low, high)));
    else
      out.ints.push_back(random.between(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
  }
  return out;
}

std::int64_t clamp_to(TensorType type, std::int64_t v) { return std::clamp(v, lowest(type), highest(type)); }

Shape random_shape(Random& random, std::int32_t least, std::int32_t most, std::int32_t longest) {
  Shape out(static_cast<std::size_t>(random.size(least, most)));
  for (std::int32_t& d : out) d = random.size(1, longest);
  return out;
}

std::int32_t random_channels(Random& random, std::int32_t usual) {
  return random.chance(10) ? random.size(usual + 1, 70) : random.size(1, usual);
}

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

}  // namespace byoc::test
