#include "backends/llvm/kernels/move.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"

namespace byoc::bitcode {

namespace {

// Elements of `size` bytes, as they are, or floats that become f32.
struct Mover {
  std::int64_t size = 4;
  Real real = Real::f32;

  [[nodiscard]] Value from(Code& code, Value pointer, Value index) const {
    return code.at_byte(pointer, code.times(index, size));
  }
  [[nodiscard]] std::int64_t written() const { return real == Real::f32 ? size : size_of(Real::f32); }
  [[nodiscard]] Value to(Code& code, Value pointer, Value index) const {
    return code.at_byte(pointer, code.times(index, written()));
  }
  void copy(Code& code, Value target, Value source) const {
    if (real != Real::f32)
      code.store(code.load(source, 1, 1, real), target, 1);
    else
      code.copy_element(target, source, size);
  }
};

// A matrix whose rows are so many elements apart, in what is read and in what is written.
struct Matrix {
  std::int64_t rows, cols, from_row, to_row;
};

// Element by element, some rows at once.
void transpose_elements(Code& code, const Mover& mover, Value to, Value from, const Matrix& m) {
  constexpr std::int64_t kTogether = 8;
  for_pieces(code, m.rows, kTogether, [&](Value row, std::int64_t together) {
    const Value source = mover.from(code, from, code.times(row, m.from_row)), target = mover.to(code, to, row);
    code.loop(m.cols, [&](Value c) {
      const Value source_c = mover.from(code, source, c), target_c = mover.to(code, target, code.times(c, m.to_row));
      for (std::int64_t k = 0; k < together; ++k)
        mover.copy(code, mover.to(code, target_c, code.integer(k)),
                   mover.from(code, source_c, code.integer(k * m.from_row)));
    });
  });
}

// Squares of vectors of four bytes a lane; what is written is written in order.
void transpose_squares(Code& code, const Mover& mover, Value to, Value from, const Matrix& m, std::int64_t lanes) {
  for_pieces(code, m.cols, lanes, [&](Value col, std::int64_t) {
    const Value source = mover.from(code, from, col), target = mover.to(code, to, code.times(col, m.to_row));
    for_pieces(code, m.rows, lanes, [&](Value row, std::int64_t) {
      Values square;
      for (std::int64_t k = 0; k < lanes; ++k)
        square.push_back(code.load(mover.from(code, source, code.times(code.plus(row, k), m.from_row)), lanes));
      square = code.transposed(std::move(square));
      for (std::int64_t k = 0; k < lanes; ++k)
        code.store(square[static_cast<std::size_t>(k)], mover.to(code, target, code.plus(row, k * m.to_row)), lanes);
    });
  });
}

void transpose(Code& code, const Mover& mover, Value to, Value from, const Matrix& m) {
  const std::int64_t lanes = std::min<std::int64_t>(8, code.machine().lanes);
  const std::int64_t rows = m.rows / lanes * lanes, cols = m.cols / lanes * lanes;
  if (mover.size != 4 || mover.real != Real::f32 || lanes == 1 || rows == 0 || cols == 0)
    return transpose_elements(code, mover, to, from, m);
  transpose_squares(code, mover, to, from, {rows, cols, m.from_row, m.to_row}, lanes);
  if (cols != m.cols)
    transpose_elements(code, mover, mover.to(code, to, code.integer(cols * m.to_row)),
                       mover.from(code, from, code.integer(cols)), {rows, m.cols - cols, m.from_row, m.to_row});
  if (rows != m.rows)
    transpose_elements(code, mover, mover.to(code, to, code.integer(rows)),
                       mover.from(code, from, code.integer(rows * m.from_row)),
                       {m.rows - rows, m.cols, m.from_row, m.to_row});
}

}  // namespace

void write_framed(Code& code, const std::string& symbol, const Framed& f) {
  code.begin_function(symbol, 2, false, true, f.by_range);
  const std::int64_t row = f.cols * f.channels, in_image = f.channels * f.in_rows * f.in_cols;
  const std::int64_t from_row = f.channels_last ? f.in_cols * f.channels : f.in_cols;
  const std::int64_t rows = std::min(f.in_rows, f.rows - f.top), cols = std::min(f.in_cols, f.cols - f.left);
  const std::int64_t right = f.cols - f.left - cols;
  code.loop(f.images, [&](Value image) {
    const Value from = code.at(code.argument(0), code.times(image, in_image), f.real);
    const Value to = code.at(code.argument(1), code.times(image, f.rows * row));
    const auto fill_row = [&](Value r) { copy_floats(code, code.at(to, code.times(r, row)), nullptr, row); };
    for_each(code, f.by_range, 0, f.top, fill_row);
    for_each(code, f.by_range, f.top, f.top + rows, [&](Value r) {
      const Value source = code.at(from, code.times(code.plus(r, -f.top), from_row), f.real);
      const Value target = code.at(to, code.times(r, row));
      copy_floats(code, target, nullptr, f.left * f.channels);
      const Value inner = code.at(target, f.left * f.channels);
      if (f.channels_last)
        copy_floats(code, inner, source, cols * f.channels, f.real);
      else
        transpose(code, {size_of(f.real), f.real}, inner, source,
                  {f.channels, cols, f.in_rows * f.in_cols, f.channels});
      copy_floats(code, code.at(inner, cols * f.channels), nullptr, right * f.channels);
    });
    for_each(code, f.by_range, f.top + rows, f.rows, fill_row);
  });
  code.end_function();
}

std::string key_of(const Framed& f) {
  std::ostringstream out;
  for (const std::int64_t n : {f.images, f.channels, f.in_rows, f.in_cols, std::int64_t{f.channels_last}, f.top, f.left,
                               f.rows, f.cols, std::int64_t{f.by_range}, static_cast<std::int64_t>(f.real)})
    out << n << ' ';
  return out.str();
}

void write_transposed(Code& code, const std::string& symbol, std::int64_t size, std::int64_t count, std::int64_t rows,
                      std::int64_t cols) {
  const Mover mover{size, Real::f32};
  code.begin_function(symbol, 2, false, true);
  code.loop(count, [&](Value i) {
    const Value offset = code.times(i, rows * cols);
    transpose(code, mover, mover.to(code, code.argument(1), offset), mover.from(code, code.argument(0), offset),
              {rows, cols, cols, rows});
  });
  code.end_function();
}

void write_moved_rows(Code& code, const std::string& symbol, std::int64_t size, const MovedRows& m) {
  code.begin_function(symbol, 2, false, true);
  const std::function<void(std::size_t, Value, Value)> walk = [&](std::size_t d, Value from, Value to) {
    if (d == m.dims.size()) return copy_elements(code, to, from, m.length, size);
    std::int64_t inner = m.length;
    for (std::size_t i = d + 1; i < m.dims.size(); ++i) inner *= m.dims[i];
    code.loop(m.dims[d], [&](Value i) {
      walk(d + 1, code.at_byte(from, code.times(i, m.steps[d] * size)), code.at_byte(to, code.times(i, inner * size)));
    });
  };
  walk(0, code.argument(0), code.argument(1));
  code.end_function();
}

std::string key_of(const MovedRows& m) {
  std::ostringstream out;
  for (std::size_t d = 0; d < m.dims.size(); ++d) out << m.dims[d] << ' ' << m.steps[d] << ' ';
  out << m.length << ' ';
  return out.str();
}

}  // namespace byoc::bitcode
