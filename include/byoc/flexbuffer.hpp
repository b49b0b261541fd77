// Reads FlexBuffers (https://flatbuffers.dev/flexbuffers): the options of most CUSTOM operators of TensorFlow Lite are
// maps in this format. Untrusted bytes are fine: what points outside reads as nothing.
//
//   const std::string options = node.text("custom_options", "");
//   const auto map = byoc::FlexValue::root(options);
//   const std::int64_t shift = map.find("shift").integer().value_or(0);
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace byoc {

// One value of a buffer, which has to live as long; null if there is none.
class FlexValue {
 public:
  FlexValue() = default;
  [[nodiscard]] static FlexValue root(std::string_view buffer) {
    if (buffer.size() < 3) return {};
    const auto width = static_cast<unsigned char>(buffer.back());
    const auto type = static_cast<unsigned char>(buffer[buffer.size() - 2]);
    if (!is_width(width) || buffer.size() < 2U + width) return {};
    return {buffer, buffer.size() - 2 - width, width, type};
  }

  [[nodiscard]] bool is_null() const { return type() == kNull; }
  [[nodiscard]] bool is_map() const { return type() == kMap; }
  // A number or a truth; reals are cut off, those that do not fit are nothing.
  [[nodiscard]] std::optional<std::int64_t> integer() const {
    if (const auto bits = unsigned_bits()) return static_cast<std::int64_t>(*bits);
    if (const auto value = signed_bits()) return value;
    const auto real_value = real();
    if (!real_value || !(*real_value > -9.2e18 && *real_value < 9.2e18)) return std::nullopt;
    return static_cast<std::int64_t>(*real_value);
  }
  [[nodiscard]] std::optional<double> real() const {
    if (const auto bits = unsigned_bits()) return static_cast<double>(*bits);
    if (const auto value = signed_bits()) return static_cast<double>(*value);
    if (type() == kFloat) return float_at(at_, width_);
    if (type() == kIndirectFloat)
      if (const auto at = target()) return float_at(*at, child_width());
    return std::nullopt;
  }
  // A string, or the bytes of a blob.
  [[nodiscard]] std::optional<std::string_view> text() const {
    if (type() != kString && type() != kBlob) return std::nullopt;
    const auto at = target();
    const auto length = at ? before(*at, 1) : std::nullopt;
    if (!length || *length > buffer_.size() - *at) return std::nullopt;
    return buffer_.substr(*at, *length);
  }
  // Elements of a vector, or values of a map in the order of their keys; of anything else none.
  [[nodiscard]] std::size_t size() const {
    if (!is_vector()) return 0;
    if (const std::size_t fixed = fixed_size(); fixed != 0) return fixed;
    const auto at = target();
    const auto length = at ? before(*at, 1) : std::nullopt;
    return length && *length <= buffer_.size() ? static_cast<std::size_t>(*length) : 0;
  }
  [[nodiscard]] FlexValue operator[](std::size_t i) const {
    const auto at = target();
    if (!at || i >= size()) return {};
    const std::size_t element = *at + i * child_width();
    if (element > buffer_.size() || child_width() > buffer_.size() - element) return {};
    if (const unsigned typed = element_type(); typed != kNull) return {buffer_, element, child_width(), typed << 2};
    const std::size_t packed = *at + size() * child_width() + i;
    if (packed >= buffer_.size()) return {};
    return {buffer_, element, child_width(), static_cast<unsigned char>(buffer_[packed])};
  }
  // A map's value; null where it has no such key.
  [[nodiscard]] FlexValue find(std::string_view key) const {
    for (std::size_t i = 0; is_map() && i < size(); ++i)
      if (key_at(i) == key) return (*this)[i];
    return {};
  }
  // A map's key; empty where there is none.
  [[nodiscard]] std::string_view key_at(std::size_t i) const {
    const auto at = target();
    if (!is_map() || !at || i >= size()) return {};
    const auto offset = before(*at, 3), width = before(*at, 2);
    if (!offset || !width || !is_width(*width) || *offset > *at - 3U * child_width()) return {};
    const std::size_t list = *at - 3U * child_width() - static_cast<std::size_t>(*offset);
    const std::size_t entry = list + i * static_cast<std::size_t>(*width);
    const auto back = load(entry, static_cast<std::size_t>(*width));
    if (!back || *back > entry) return {};
    const std::string_view rest = buffer_.substr(entry - static_cast<std::size_t>(*back));
    const std::size_t end = rest.find('\0');
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
  }

 private:
  enum Type : unsigned {
    kNull,
    kInt,
    kUInt,
    kFloat,
    kKey,
    kString,
    kIndirectInt,
    kIndirectUInt,
    kIndirectFloat,
    kMap,
    kVector,
    kFirstTyped,
    kLastTyped = 15,
    kFirstFixed,
    kLastFixed = 24,
    kBlob,
    kBool,
    kVectorBool = 36
  };

  FlexValue(std::string_view buffer, std::size_t at, std::size_t width, unsigned packed)
      : buffer_(buffer), at_(at), width_(width), packed_(packed) {}

  static bool is_width(std::uint64_t w) { return w == 1 || w == 2 || w == 4 || w == 8; }
  [[nodiscard]] unsigned type() const { return packed_ >> 2; }
  [[nodiscard]] std::size_t child_width() const { return std::size_t{1} << (packed_ & 3); }
  [[nodiscard]] bool is_vector() const {
    return type() == kMap || type() == kVector || type() == kVectorBool ||
           (type() >= kFirstTyped && type() <= kLastFixed);
  }
  // The type of all elements; kNull if each element has its own.
  [[nodiscard]] unsigned element_type() const {
    if (type() == kVectorBool) return kBool;
    if (type() >= kFirstTyped && type() <= kLastTyped) return type() - kFirstTyped + kInt;
    return type() >= kFirstFixed && type() <= kLastFixed ? (type() - kFirstFixed) % 3 + kInt : kNull;
  }
  [[nodiscard]] std::size_t fixed_size() const {
    return type() >= kFirstFixed && type() <= kLastFixed ? (type() - kFirstFixed) / 3 + 2 : 0;
  }

  [[nodiscard]] std::optional<std::uint64_t> load(std::size_t at, std::size_t width) const {
    if (at > buffer_.size() || width > buffer_.size() - at) return std::nullopt;
    std::uint64_t out = 0;
    for (std::size_t i = width; i-- > 0;) out = out << 8 | static_cast<unsigned char>(buffer_[at + i]);
    return out;
  }
  // The place that this value's offset names.
  [[nodiscard]] std::optional<std::size_t> target() const {
    const auto back = load(at_, width_);
    if (!back || *back > at_) return std::nullopt;
    return at_ - static_cast<std::size_t>(*back);
  }
  // The number that stands `count` places in front of an element.
  [[nodiscard]] std::optional<std::uint64_t> before(std::size_t at, std::size_t count) const {
    return count * child_width() > at ? std::nullopt : load(at - count * child_width(), child_width());
  }
  [[nodiscard]] std::optional<std::uint64_t> unsigned_bits() const {
    if (type() == kUInt || type() == kBool) return load(at_, width_);
    if (type() != kIndirectUInt) return std::nullopt;
    const auto at = target();
    return at ? load(*at, child_width()) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> signed_bits() const {
    const bool direct = type() == kInt;
    if (!direct && type() != kIndirectInt) return std::nullopt;
    const auto at = direct ? std::optional(at_) : target();
    const std::size_t width = direct ? width_ : child_width();
    const auto bits = at ? load(*at, width) : std::nullopt;
    if (!bits) return std::nullopt;
    const auto unused = static_cast<unsigned>(64 - 8 * width);
    return static_cast<std::int64_t>(*bits << unused) >> unused;
  }
  [[nodiscard]] std::optional<double> float_at(std::size_t at, std::size_t width) const {
    const auto bits = load(at, width);
    if (!bits || (width != 4 && width != 8)) return std::nullopt;
    if (width == 8) return std::bit_cast<double>(*bits);
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(*bits)));
  }

  std::string_view buffer_;
  std::size_t at_ = 0, width_ = 1;
  unsigned packed_ = 0;  // the type above two bits of width
};

}  // namespace byoc
