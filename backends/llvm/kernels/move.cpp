#include "backends/llvm/kernels/move.hpp"

#include <algorithm>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"

namespace byoc::bitcode {

namespace {

// Where an element is, and how one goes from there to there.
struct Mover {
  Value (*at)(Code&, Value pointer, Value index);
  void (*copy)(Code&, Value to, Value from);
};
constexpr Mover kFloats{[](Code& c, Value p, Value i) { return c.at(p, i); },
                        [](Code& c, Value to, Value from) { c.store(c.load(from, 1), to, 1); }};
constexpr Mover kBytes{[](Code& c, Value p, Value i) { return c.at_byte(p, i); },
                       [](Code& c, Value to, Value from) { c.copy_byte(to, from, 0); }};

void transpose(Code& code, const Mover& mover, Value to, Value from, std::int64_t rows, std::int64_t cols,
               std::int64_t from_row, std::int64_t to_row) {
  constexpr std::int64_t kTogether = 8;
  const auto at = [&](Value pointer, Value index) { return mover.at(code, pointer, index); };
  for_pieces(code, rows, kTogether, [&](Value row, std::int64_t together) {
    const Value source = at(from, code.times(row, from_row)), target = at(to, row);
    code.loop(cols, [&](Value c) {
      const Value source_c = at(source, c), target_c = at(target, code.times(c, to_row));
      for (std::int64_t k = 0; k < together; ++k)
        mover.copy(code, at(target_c, code.integer(k)), at(source_c, code.integer(k * from_row)));
    });
  });
}

}  // namespace

void transpose_floats(Code& code, Value to, Value from, std::int64_t rows, std::int64_t cols, std::int64_t from_row,
                      std::int64_t to_row) {
  transpose(code, kFloats, to, from, rows, cols, from_row, to_row);
}

void write_framed(Code& code, const std::string& symbol, const Framed& f) {
  code.begin_function(symbol, 2, false, true, f.by_range);
  const std::int64_t row = f.cols * f.channels, in_image = f.channels * f.in_rows * f.in_cols;
  const std::int64_t from_row = f.channels_last ? f.in_cols * f.channels : f.in_cols;
  const std::int64_t rows = std::min(f.in_rows, f.rows - f.top), cols = std::min(f.in_cols, f.cols - f.left);
  const std::int64_t right = f.cols - f.left - cols;
  code.loop(f.images, [&](Value image) {
    const Value from = code.at(code.argument(0), code.times(image, in_image));
    const Value to = code.at(code.argument(1), code.times(image, f.rows * row));
    const auto fill_row = [&](Value r) { copy_floats(code, code.at(to, code.times(r, row)), nullptr, row); };
    for_each(code, f.by_range, 0, f.top, fill_row);
    for_each(code, f.by_range, f.top, f.top + rows, [&](Value r) {
      const Value source = code.at(from, code.times(code.plus(r, -f.top), from_row));
      const Value target = code.at(to, code.times(r, row));
      copy_floats(code, target, nullptr, f.left * f.channels);
      const Value inner = code.at(target, f.left * f.channels);
      if (f.channels_last)
        copy_floats(code, inner, source, cols * f.channels);
      else
        transpose_floats(code, inner, source, f.channels, cols, f.in_rows * f.in_cols, f.channels);
      copy_floats(code, code.at(inner, cols * f.channels), nullptr, right * f.channels);
    });
    for_each(code, f.by_range, f.top + rows, f.rows, fill_row);
  });
  code.end_function();
}

std::string key_of(const Framed& f) {
  std::ostringstream out;
  for (const std::int64_t n : {f.images, f.channels, f.in_rows, f.in_cols, std::int64_t{f.channels_last}, f.top, f.left,
                               f.rows, f.cols, std::int64_t{f.by_range}})
    out << n << ' ';
  return out.str();
}

void write_transposed(Code& code, const std::string& symbol, Moved what, std::int64_t count, std::int64_t rows,
                      std::int64_t cols) {
  const Mover& mover = what == Moved::bytes ? kBytes : kFloats;
  code.begin_function(symbol, 2, false, true);
  code.loop(count, [&](Value i) {
    const Value offset = code.times(i, rows * cols);
    transpose(code, mover, mover.at(code, code.argument(1), offset), mover.at(code, code.argument(0), offset), rows,
              cols, cols, rows);
  });
  code.end_function();
}

}  // namespace byoc::bitcode
