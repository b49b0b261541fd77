// Convolutions on bytes: sums of 32 bits, four products at a time, and their way back to bytes.
#pragma once

#include <cstdint>
#include <string>

#include "backends/llvm/kernels/product.hpp"

namespace byoc::bitcode {

// A product whose channels of the input are words of four bytes, and whose steps of the input are in words, those of
// the result in bytes. One group.
struct ProductS8 {
  Product words;
  std::int32_t low = -128, high = 127, zero = 0;  // of the results
};

// Of each channel, as 64 bits: what Code::requantised takes, in this order. [parameter][block][channels of a tile]
enum class Parameter : std::uint8_t { q, add, below, shift, ties };
inline constexpr std::int64_t kParameters = 5;

[[nodiscard]] Tile choose_tile(const Machine& machine, const ProductS8& p);
[[nodiscard]] std::int64_t pieces_of(const ProductS8& p, const Tile& tile);
// void symbol(x, w, bias, parameters, y, the range if `by_range`). Weights [block][kernel_h][kernel_w][words][channels
// of a tile][4].
void write_product(Code& code, const std::string& symbol, const ProductS8& p, const Tile& tile);
// Each channel by itself: `words` has groups == channels and steps of the input in bytes, which are not flipped.
// Weights [block][kernel_h][kernel_w][channels of a tile].
[[nodiscard]] std::int64_t depthwise_pieces_of(const ProductS8& p, const Tile& tile);
void write_depthwise(Code& code, const std::string& symbol, const ProductS8& p, const Tile& tile);
[[nodiscard]] std::string key_of(const ProductS8& p, const Tile& tile);

// Images of bytes, channels last wherever they were before, with `zero` around them and behind their channels, up to
// whole words; `flipped`: all of it with the highest bit the other way, unsigned from signed. What does not fit behind
// `rows` and `cols` is left out.
struct FramedBytes {
  std::int64_t images = 1, channels = 1, in_rows = 1, in_cols = 1;
  std::int64_t top = 0, left = 0, rows = 1, cols = 1;
  std::int8_t zero = 0;
  bool flipped = false;
  bool channels_last = true;  // of what is read
  bool by_range = false;      // of its rows

  [[nodiscard]] std::int64_t words() const { return (channels + 3) / 4; }
};
// void symbol(from, to, the range if `by_range`)
void write_framed(Code& code, const std::string& symbol, const FramedBytes& f);
[[nodiscard]] std::string key_of(const FramedBytes& f);

}  // namespace byoc::bitcode
