// Convolutions and matrix products: sums of products over a window, for blocks of results that stay in registers.
#pragma once

#include <cstdint>
#include <string>

#include "backends/llvm/ir/code.hpp"
#include "backends/llvm/machine.hpp"
#include "byoc/nodes/activation.hpp"

namespace byoc::bitcode {

// y[image][row][col][group channels] = clamp((sum over the window of x * w) (* scale) + bias (+ r)). The input has its
// channels last and as much around it as the window reaches; steps in elements. A product of matrices is an image of
// one row whose pixels are the rows of the left one.
struct Product {
  std::int64_t images = 1, groups = 1;
  std::int64_t in = 1, out = 1;  // channels of a group
  std::int64_t rows = 1, cols = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t x_image = 0, x_row = 0, x_col = 0;
  std::int64_t y_image = 0, y_row = 0, y_col = 0;
  bool scales = false;    // channels have factors
  bool adds = false;      // r, which lies as y does
  bool by_range = false;  // its parts may be computed one by one
  nodes::Bounds bounds = {};
  // The format of stored weights, r and y; the input, the bias and the factors are f32.
  Real w = Real::f32, y = Real::f32;

  [[nodiscard]] std::int64_t depth() const { return kernel_h * kernel_w * in; }
};

// A block: `rows` by `cols` pixels by `vectors` of `lanes` channels.
struct Tile {
  std::int64_t lanes = 1, vectors = 1, rows = 1, cols = 1;

  [[nodiscard]] std::int64_t channels() const { return lanes * vectors; }
};

// The block that takes the least time by a count of instructions; pixels that neighbours in memory are all alike may
// have become one row first.
[[nodiscard]] Tile choose_tile(const Machine& machine, const Product& p);
// The product with as few rows as its steps allow.
[[nodiscard]] Product flattened(Product p);

// The pieces that a product by range consists of.
[[nodiscard]] std::int64_t pieces_of(const Product& p, const Tile& tile);

// void symbol(x, w, bias, scale if `scales`, r if `adds`, y, the range if `by_range`). Weights are
// [group][block][kernel_h][kernel_w][in][channels of a tile], bias and scale [group][block][channels of a tile], filled
// up to whole blocks.
void write_product(Code& code, const std::string& symbol, const Product& p, const Tile& tile);

// Each channel by itself: groups == channels, in == out == 1, no `adds`. Weights [block][kernel_h][kernel_w][channels
// of a tile].
[[nodiscard]] Tile choose_depthwise_tile(const Machine& machine, const Product& p);
[[nodiscard]] std::int64_t depthwise_pieces_of(const Product& p, const Tile& tile);
void write_depthwise(Code& code, const std::string& symbol, const Product& p, const Tile& tile);

// Text that two products have in common if, and only if, their code is the same.
[[nodiscard]] std::string key_of(const Product& p, const Tile& tile);

}  // namespace byoc::bitcode
