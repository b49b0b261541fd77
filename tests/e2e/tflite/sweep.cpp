#include "tests/e2e/tflite/sweep.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <ostream>

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
  if (type == TensorType::INT4) return TfliteWriter::packed_int4(ints);
  for (const float f : floats)
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(f) >> (8 * i)));
  for (const std::int64_t v : ints)
    for (std::size_t i = 0; i < width(type); ++i)
      out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(v) >> (8 * i)));
  return out;
}

std::int64_t lowest(TensorType type) {
  switch (type) {
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

TfliteQuantisation random_quantisation(Random& random, TensorType type, double low, double high) {
  if (type == TensorType::FLOAT32) return {};
  std::int64_t zero_point = 0;
  if (type == TensorType::INT8)
    zero_point = random.chance(40) ? random.pick<std::int64_t>({-128, 127, 0}) : random.between(-128, 127);
  return {{random.scale(low, high)}, {zero_point}, 0};
}

std::string Sweep::next_name(const char* kind) {
  return std::string(kind) + std::to_string(cases_.size() - 1) + "_" + std::to_string(writer.graph().tensors.size());
}

std::int32_t Sweep::input(const TensorData& data) {
  inputs_.push_back(data.bytes());
  input_ids_.push_back(writer.add(next_name("x"), data.type, data.shape, data.q));
  return input_ids_.back();
}

std::int32_t Sweep::constant(const TensorData& data) {
  return writer.constant(next_name("c"), data.type, data.shape, data.bytes(), data.q);
}

std::int32_t Sweep::output(const TensorData& expected, double tolerance) {
  expected_.push_back({cases_.size() - 1, expected, tolerance});
  output_ids_.push_back(writer.add(next_name("y"), expected.type, expected.shape, expected.q));
  return output_ids_.back();
}

void Sweep::give(std::int32_t tensor, const TensorData& expected, double tolerance) {
  expected_.push_back({cases_.size() - 1, expected, tolerance});
  output_ids_.push_back(tensor);
}

std::int32_t Sweep::variable(TensorType type, Shape shape, TfliteQuantisation q) {
  return writer.variable(next_name("v"), type, std::move(shape), std::move(q));
}

std::int32_t Sweep::between(TensorType type, Shape shape, TfliteQuantisation q) {
  return writer.add(next_name("t"), type, std::move(shape), std::move(q));
}

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

std::string Sweep::bytes() {
  writer.select(0);
  writer.boundary(input_ids_, output_ids_);
  return writer.bytes();
}

}  // namespace byoc::test
