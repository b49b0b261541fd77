// Convolutions of 3x3 windows by the minimal algorithm F(2x2, 3x3): Lavin and Gray, "Fast Algorithms for Convolutional
// Neural Networks", 2015. Tiles of 4x4 pixels and the weights are transformed, so that 16 products give what 36 would;
// between the transforms it is a product of matrices for each of 16 places, which is a Product of 16 groups.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/llvm/ir/code.hpp"
#include "backends/llvm/kernels/pixels.hpp"
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

  [[nodiscard]] std::int64_t tile_rows() const { return (rows + 1) / 2; }
  [[nodiscard]] std::int64_t tile_cols() const { return (cols + 1) / 2; }
  [[nodiscard]] std::int64_t tiles() const { return tile_rows() * tile_cols(); }
  // Floats of a tile's [place][channel] of the input, and of the result. Not a power of two: neighbours would share few
  // lines of the cache.
  [[nodiscard]] std::int64_t x_tile() const { return kWinogradPlaces * in + 16; }
  [[nodiscard]] std::int64_t y_tile() const { return kWinogradPlaces * out + 16; }
};

// void symbol(x, tiles)
void write_winograd_input(Code& code, const std::string& symbol, const Winograd& w);
// void symbol(tiles, r if `adds`, y)
void write_winograd_output(Code& code, const std::string& symbol, const Winograd& w);
// The keys of both parts: the input is transformed alike for every use of the result.
[[nodiscard]] std::string input_key(const Winograd& w);
[[nodiscard]] std::string output_key(const Winograd& w);

// Whole images, in bands of rows that are transformed, multiplied and transformed back one by one: what is between
// stays in the cache of a core.
struct WinogradBands {
  struct Group {
    std::int64_t count = 0;        // bands, one below the other
    Winograd band;                 // each of them
    std::string in, product, out;  // symbols of its kernels
  };
  std::vector<Group> groups;  // one below the other
  std::int64_t images = 1;
  std::int64_t x_image = 0, y_image = 0;
  std::int64_t before = 0, between = 0;  // floats of the largest band's transformed input, and of that and its product
  bool by_range = false;                 // of bands, or of images where there are more of them
  std::int64_t places = 1;               // for what is between, by range: so many ranges at a time
};

// void symbol(x, w, bias, r if the bands add, y, between, and by range: a word of which places are taken, and the
// range)
void write_winograd_bands(Code& code, const std::string& symbol, const WinogradBands& w);
// void symbol(the word): none is taken.
void write_no_place_taken(Code& code, const std::string& symbol);
[[nodiscard]] Split split_of(const WinogradBands& w);
[[nodiscard]] std::string key_of(const WinogradBands& w);

// G g G^T of a window [3][3] by rows: [4][4].
[[nodiscard]] std::array<float, 16> winograd_weights(const std::array<float, 9>& window);

}  // namespace byoc::bitcode
