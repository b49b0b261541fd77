// Maxima and averages of windows.
#pragma once

#include <cstdint>
#include <string>

#include "backends/llvm/ir/code.hpp"
#include "byoc/nodes/activation.hpp"

namespace byoc::bitcode {

// y[image][row][col][channel] of x[image][in_row][in_col][channel], both dense. Images with their channels first are so
// many images of one channel.
struct Pool {
  bool is_max = false;
  bool counts_pads = false;  // an average is of as many elements as the window and the padding have in common
  std::int64_t images = 1, channels = 1;
  std::int64_t in_rows = 1, in_cols = 1, rows = 1, cols = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;
  nodes::Bounds bounds = {};
  Real real = Real::f32;  // of both
  bool by_range = false;
};
[[nodiscard]] std::string key_of(const Pool& p);
[[nodiscard]] std::int64_t pieces_of(const Pool& p);

// void symbol(x, y, the range if `by_range`)
void write_pool(Code& code, const std::string& symbol, const Pool& p);

}  // namespace byoc::bitcode
