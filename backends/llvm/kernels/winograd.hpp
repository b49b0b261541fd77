// Convolutions of 3x3 windows by the minimal algorithm F(2x2, 3x3): Lavin and Gray, "Fast Algorithms for Convolutional
// Neural Networks", 2015. Tiles of 4x4 pixels and the weights are transformed, so that 16 products give what 36 would;
// between the transforms it is a product of matrices for each of 16 places, which is a Product of 16 groups.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "backends/llvm/ir/code.hpp"
#include "byoc/nodes/activation.hpp"

namespace byoc::bitcode {

inline constexpr std::int64_t kWinogradPlaces = 16;

// Some rows of one image, dense, channels last. The input has a frame: two rows and columns more than whole tiles.
struct Winograd {
  std::int64_t in = 1, out = 1;     // channels
  std::int64_t rows = 1, cols = 1;  // of the result
  std::int64_t x_row = 0, y_row = 0;
  bool adds = false;  // r, which lies as y does
  nodes::Bounds bounds = {};
  bool by_range = false;  // of rows of tiles

  [[nodiscard]] std::int64_t tile_rows() const { return (rows + 1) / 2; }
  [[nodiscard]] std::int64_t tile_cols() const { return (cols + 1) / 2; }
  [[nodiscard]] std::int64_t tiles() const { return tile_rows() * tile_cols(); }
  // Floats of a tile's [place][channel] of the input, and of the result. Not a power of two: neighbours would share few
  // lines of the cache.
  [[nodiscard]] std::int64_t x_tile() const { return kWinogradPlaces * in + 16; }
  [[nodiscard]] std::int64_t y_tile() const { return kWinogradPlaces * out + 16; }
};

// void symbol(x, tiles, the range if `by_range`)
void write_winograd_input(Code& code, const std::string& symbol, const Winograd& w);
// void symbol(tiles, r if `adds`, y, the range if `by_range`)
void write_winograd_output(Code& code, const std::string& symbol, const Winograd& w);
// What each of the two reads of it: the input is transformed alike whatever becomes of the result.
[[nodiscard]] std::string input_key(const Winograd& w);
[[nodiscard]] std::string output_key(const Winograd& w);

// G g G^T of a window [3][3] by rows: [4][4].
[[nodiscard]] std::array<float, 16> winograd_weights(const std::array<float, 9>& window);

}  // namespace byoc::bitcode
