// Convolutions on bytes: sums of 32 bits, and their way back to bytes.
#pragma once

#include <cstdint>
#include <string>

#include "backends/llvm/kernels/product.hpp"

namespace byoc::bitcode {

// The part of the depth that is summed at a time, and its number of bytes.
enum class Unit : std::uint8_t {
  byte = 1,      // one product, of a byte for all channels
  word = 4,      // four: Code::dot
  matrices = 8,  // eight, of two pixels by two channels: Code::matrix_dot
};
[[nodiscard]] constexpr std::int64_t bytes_of(Unit unit) { return static_cast<std::int64_t>(unit); }
[[nodiscard]] Unit unit_for(const Machine& machine, std::int64_t channels, std::int64_t pixels);

// A product whose channels of the input are units, and whose steps are in bytes. One group.
struct ProductS8 {
  Product units;
  Unit unit = Unit::word;
  bool exact = false;                             // one rounding, to even, of the exact product; else two
  std::int32_t low = -128, high = 127, zero = 0;  // of the results
};

// The parameters of each channel, as 64 bits, for Code::requantised, in this order. [parameter][block][channels of a
// tile]
enum class Parameter : std::uint8_t { q, add, below, shift, ties };
inline constexpr std::int64_t kParameters = 5;

[[nodiscard]] Tile choose_tile(const Machine& machine, const ProductS8& p);
[[nodiscard]] std::int64_t pieces_of(const ProductS8& p, const Tile& tile);
// void symbol(x, w, bias, parameters, y, the range if `by_range`). Weights [block][kernel_h][kernel_w][units][channels
// of a tile][bytes of a unit].
void write_product(Code& code, const std::string& symbol, const ProductS8& p, const Tile& tile);
// Each channel by itself: `units` has groups == channels, and bytes are not flipped. Weights
// [block][kernel_h][kernel_w][channels of a tile].
[[nodiscard]] std::int64_t depthwise_pieces_of(const ProductS8& p, const Tile& tile);
void write_depthwise(Code& code, const std::string& symbol, const ProductS8& p, const Tile& tile);
[[nodiscard]] std::string key_of(const ProductS8& p, const Tile& tile);

// Images of bytes with channels last, made of either layout, with `zero` around them and behind their channels, up to
// whole units. `flipped`: the highest bit of every byte is inverted, unsigned from signed. Pixels that do not fit
// behind `rows` and `cols` are left out.
struct FramedBytes {
  std::int64_t images = 1, channels = 1, in_rows = 1, in_cols = 1;
  std::int64_t top = 0, left = 0, rows = 1, cols = 1;
  std::int8_t zero = 0;
  bool flipped = false;
  bool channels_last = true;  // of what is read
  bool by_range = false;      // of its rows
  Unit unit = Unit::word;

  [[nodiscard]] std::int64_t units() const { return (channels + bytes_of(unit) - 1) / bytes_of(unit); }
  [[nodiscard]] std::int64_t pixel() const { return units() * bytes_of(unit); }  // bytes
  // True if the input can be used in place.
  [[nodiscard]] bool is_there() const;
};
// void symbol(from, to, the range if `by_range`)
void write_framed(Code& code, const std::string& symbol, const FramedBytes& f);
[[nodiscard]] std::string key_of(const FramedBytes& f);

}  // namespace byoc::bitcode
