// Elements in another order, and with zeros around them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/llvm/ir/code.hpp"

namespace byoc::bitcode {

// Images of f32 with their channels last and zeros around them, made of images of any float in either layout. Pixels
// that do not fit behind `rows` and `cols` are left out.
struct Framed {
  std::int64_t images = 1, channels = 1, in_rows = 1, in_cols = 1;
  bool channels_last = true;                           // of what is read
  std::int64_t top = 0, left = 0, rows = 1, cols = 1;  // of what is written
  bool by_range = false;                               // of its rows
  Real real = Real::f32;                               // what is read
};
// void symbol(from, to, the range if `by_range`)
void write_framed(Code& code, const std::string& symbol, const Framed& f);
[[nodiscard]] std::string key_of(const Framed& f);

// void symbol(from, to): `count` times to[c][r] = from[r][c], densely, of elements of 1, 2 or 4 bytes.
void write_transposed(Code& code, const std::string& symbol, std::int64_t size, std::int64_t count, std::int64_t rows,
                      std::int64_t cols);

// Rows of `length` elements in the order of the loops over `dims`, each step that many elements of the source further.
struct MovedRows {
  std::vector<std::int64_t> dims, steps;
  std::int64_t length = 1;
};
// void symbol(from, to)
void write_moved_rows(Code& code, const std::string& symbol, std::int64_t size, const MovedRows& m);
[[nodiscard]] std::string key_of(const MovedRows& m);

}  // namespace byoc::bitcode
