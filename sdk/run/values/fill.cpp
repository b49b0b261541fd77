#include "sdk/run/values/fill.hpp"

#include <charconv>
#include <cstring>

#include "sdk/model/evaluate/element.hpp"
#include "sdk/model/evaluate/small_element.hpp"
#include "sdk/model/ir/packed_elements.hpp"

namespace byoc {
namespace {

// SplitMix64, by Sebastiano Vigna: public domain.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

constexpr double kSteps = 64;  // of floats, from 0 to 1

// A number of the type's range.
double number(const Fill& fill, DType type, Random& random) {
  if (fill.kind == FillKind::ones) return 1;
  const std::uint64_t bits = random.next();
  const ElementRow& row = element_row(type);
  if (row.kind == ElementKind::truth) return static_cast<double>(bits & 1);
  if (row.kind == ElementKind::real) return static_cast<double>(static_cast<std::int64_t>(bits % 128) - 64) / kSteps;
  const unsigned width = row.bits < 32 ? row.bits : 31;
  const auto magnitude = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << width) - 1));
  return static_cast<double>(row.kind == ElementKind::whole ? magnitude - (std::int64_t{1} << (width - 1)) : magnitude);
}

unsigned code_of(DType type, double value) {
  const ElementRow& row = element_row(type);
  if (row.kind != ElementKind::real) return evaluate::small_code(type, static_cast<std::int64_t>(value));
  return evaluate::encode_small(*small_float(type), value);
}

}  // namespace

std::optional<Fill> parse_fill(const std::string& text) {
  if (text == "zeros") return Fill{FillKind::zeros, 0};
  if (text == "ones") return Fill{FillKind::ones, 0};
  if (text == "random") return Fill{FillKind::random, 0};
  const std::string prefix = "random:";
  if (!text.starts_with(prefix)) return std::nullopt;
  Fill out{FillKind::random, 0};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + prefix.size(), last, out.seed);
  if (error != std::errc() || end != last) return std::nullopt;
  return out;
}

std::vector<std::byte> filled(const Fill& fill, const IoTensor& input, std::size_t index) {
  std::vector<std::byte> out(static_cast<std::size_t>(input.bytes));
  if (fill.kind == FillKind::zeros) return out;
  Random random(fill.seed * 0x100 + index);
  std::size_t count = 1;
  for (const std::int64_t d : input.dims) count *= static_cast<std::size_t>(d);
  if (is_small(input.dtype)) {
    std::vector<unsigned> codes;
    for (std::size_t i = 0; i < count; ++i) codes.push_back(code_of(input.dtype, number(fill, input.dtype, random)));
    return ir::pack(codes, bit_width(input.dtype));
  }
  const auto put = [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= out.size(); at += sizeof(T)) {
      const T value = evaluate::narrow<T>(number(fill, input.dtype, random));
      std::memcpy(out.data() + at, &value, sizeof value);
    }
  };
  (void)evaluate::dispatch(input.dtype, put);
  return out;
}

}  // namespace byoc
