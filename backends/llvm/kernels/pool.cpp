#include "backends/llvm/kernels/pool.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"
#include "backends/llvm/kernels/rows.hpp"

namespace byoc::bitcode {
namespace {

// The part of a window that is inside of the image, along one dim, and how many elements an average counts there.
struct Span {
  Value from, to, counted;
};
Span span_of(Code& code, Value out, std::int64_t stride, std::int64_t kernel, std::int64_t before, std::int64_t after,
             std::int64_t in, bool counts_pads) {
  const Value start = code.plus(code.times(out, stride), -before), end = code.plus(start, kernel);
  const Value from = code.greater(start, code.integer(0)), to = code.lesser(end, code.integer(in));
  return {from, to, counts_pads ? code.minus(code.lesser(end, code.integer(in + after)), start) : code.minus(to, from)};
}

Split pool_split_of(const Pool& p) { return most_pieces(p.images, p.rows, 1, 1); }

}  // namespace

std::int64_t pieces_of(const Pool& p) { return pool_split_of(p).pieces; }

std::string key_of(const Pool& p) {
  std::ostringstream out;
  for (const std::int64_t n : {std::int64_t{p.is_max}, std::int64_t{p.counts_pads}, p.images, p.channels, p.in_rows,
                               p.in_cols, p.rows, p.cols, p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.top, p.left,
                               p.bottom, p.right, std::int64_t{p.by_range}, static_cast<std::int64_t>(p.real)})
    out << n << ' ';
  out << std::hexfloat << p.bounds.lo << ' ' << p.bounds.hi;
  return out.str();
}

namespace {

void write_channels(Code& code, const std::string& symbol, const Pool& p) {
  code.begin_function(symbol, 2, false, true, p.by_range);
  const auto is_split = [&, split = pool_split_of(p)](Loop loop) { return p.by_range && split.loop == loop; };
  std::int64_t lanes = code.machine().lanes;
  while (lanes > 1 && lanes / 2 >= p.channels) lanes /= 2;
  const std::int64_t most = std::min<std::int64_t>(8, std::max<std::int64_t>(1, code.machine().registers / 2));
  const std::int64_t x_row = p.in_cols * p.channels, y_row = p.cols * p.channels;
  const auto pixel = [&](Value x, Value y, const Span& h, const Span& w, std::int64_t channels) {
    const std::int64_t vectors = (channels + lanes - 1) / lanes;
    const float first = p.is_max ? -std::numeric_limits<float>::infinity() : 0.0F;
    Values all(static_cast<std::size_t>(vectors), code.real(first, lanes));
    all = code.loop(h.from, h.to, 1, all, [&](Value row, const Values& outer) {
      const Value line = code.at(x, code.times(row, x_row), p.real);
      return code.loop(w.from, w.to, 1, outer, [&](Value col, const Values& before) {
        const Value from = code.at(line, code.times(col, p.channels), p.real);
        Values after;
        for (std::int64_t v = 0; v < vectors; ++v) {
          const Value sum = before[static_cast<std::size_t>(v)];
          const Value one =
              code.load(code.at(from, v * lanes, p.real), lanes, std::min(lanes, channels - v * lanes), p.real);
          after.push_back(p.is_max ? code.at_least(sum, one) : code.add(sum, one));
        }
        return after;
      });
    });
    const Value count = p.is_max ? nullptr : code.spread(code.integer_as_real(code.times(h.counted, w.counted)), lanes);
    for (std::int64_t v = 0; v < vectors; ++v) {
      Value out = all[static_cast<std::size_t>(v)];
      if (!p.is_max) out = code.divide(out, count);
      code.store(clamped(code, out, p.bounds, lanes), code.at(y, v * lanes, p.real),
                 std::min(lanes, channels - v * lanes), p.real);
    }
  };
  for_each(code, is_split(Loop::images), 0, p.images, [&](Value image) {
    const Value x = code.at(code.argument(0), code.times(image, p.in_rows * x_row), p.real);
    const Value y = code.at(code.argument(1), code.times(image, p.rows * y_row), p.real);
    for_each(code, is_split(Loop::rows), 0, p.rows, [&](Value row) {
      const Span h = span_of(code, row, p.stride_h, p.kernel_h, p.top, p.bottom, p.in_rows, p.counts_pads);
      code.loop(p.cols, [&](Value col) {
        const Span w = span_of(code, col, p.stride_w, p.kernel_w, p.left, p.right, p.in_cols, p.counts_pads);
        const Value to = code.at(y, code.plus(code.times(row, y_row), code.times(col, p.channels)), p.real);
        for_pieces(code, p.channels, lanes * most, [&](Value channel, std::int64_t channels) {
          pixel(code.at(x, channel, p.real), code.at(to, channel, p.real), h, w, channels);
        });
      });
    });
  });
  code.end_function();
}

// The whole of each plane as one row.
void write_whole_planes(Code& code, const std::string& symbol, const Pool& p) {
  code.begin_function(symbol, 2, false, true, p.by_range);
  const std::int64_t length = p.in_rows * p.in_cols, lanes = code.machine().lanes;
  const RowFold elements(code, length);
  for_each(code, p.by_range, 0, p.images, [&](Value image) {
    const Value x = code.at(code.argument(0), code.times(image, length), p.real);
    const auto load = [&](Value at, std::int64_t valid) {
      return code.load(code.at(x, at, p.real), lanes, valid, p.real);
    };
    Value out = nullptr;
    if (p.is_max) {
      // A NaN is no maximum: it is not where the comparison starts.
      const Value least = code.real(-std::numeric_limits<float>::infinity(), lanes);
      const auto greater = [&](Value a, Value b) { return code.at_least(a, b); };
      out = code.greatest_of_lanes(elements.fold(least, greater, [&](Value at, std::int64_t valid, Value before) {
        return code.at_least(before, code.first_lanes(load(at, valid), least, valid));
      }));
    } else {
      const Value sum = code.sum_of_lanes(
          elements.sum([&](Value at, std::int64_t valid, Value before) { return code.add(before, load(at, valid)); }));
      out = code.divide(sum, code.real(static_cast<float>(length), 1));
    }
    code.store(clamped(code, out, p.bounds, 1), code.at(code.argument(1), image, p.real), 1, p.real);
  });
  code.end_function();
}

// Planes whose windows are one element apart: vectors are of neighbouring results, those at the edges one by one.
void write_planes(Code& code, const std::string& symbol, const Pool& p) {
  code.begin_function(symbol, 2, false, true, p.by_range);
  const auto is_split = [&, split = pool_split_of(p)](Loop loop) { return p.by_range && split.loop == loop; };
  const std::int64_t inner_from = std::min(p.left, p.cols);
  const std::int64_t inner_to = std::max(inner_from, std::min(p.cols, p.in_cols + p.left - p.kernel_w + 1));
  const float first = p.is_max ? -std::numeric_limits<float>::infinity() : 0.0F;
  const auto take = [&](Value before, Value one) {
    return p.is_max ? code.at_least(before, one) : code.add(before, one);
  };
  // Stores `valid` results from `col` on, made of `row_of`: what a row of the window gives beside the rows before.
  const auto store = [&](Value x, Value y, const Span& h, Value col, Value counted, std::int64_t lanes,
                         std::int64_t valid, const std::function<Value(Value line, Value before)>& row_of) {
    Value out = code.loop(h.from, h.to, 1, {code.real(first, lanes)}, [&](Value row, const Values& before) {
      return Values{row_of(code.at(x, code.times(row, p.in_cols), p.real), before[0])};
    })[0];
    if (!p.is_max) {
      const Value count = code.integer_as_real(code.times(h.counted, counted));
      out = code.divide(out, code.spread(count, lanes));
    }
    code.store(clamped(code, out, p.bounds, lanes), code.at(y, col, p.real), valid, p.real);
  };
  for_each(code, is_split(Loop::images), 0, p.images, [&](Value image) {
    const Value x = code.at(code.argument(0), code.times(image, p.in_rows * p.in_cols), p.real);
    for_each(code, is_split(Loop::rows), 0, p.rows, [&](Value row) {
      const Span h = span_of(code, row, p.stride_h, p.kernel_h, p.top, p.bottom, p.in_rows, p.counts_pads);
      const Value y =
          code.at(code.argument(1), code.plus(code.times(image, p.rows * p.cols), code.times(row, p.cols)), p.real);
      const auto edge = [&](Value col) {
        const Span w = span_of(code, col, 1, p.kernel_w, p.left, p.right, p.in_cols, p.counts_pads);
        store(x, y, h, col, w.counted, 1, 1, [&](Value line, Value before) {
          return code.loop(w.from, w.to, 1, {before}, [&](Value k, const Values& sum) {
            return Values{take(sum[0], code.load(code.at(line, k, p.real), 1, 1, p.real))};
          })[0];
        });
      };
      if (inner_from > 0) code.loop(code.integer(0), code.integer(inner_from), edge);
      for_pieces(code, inner_to - inner_from, code.machine().lanes, [&](Value piece, std::int64_t valid) {
        const Value col = code.plus(piece, inner_from), from = code.plus(col, -p.left);
        const std::int64_t lanes = code.machine().lanes;
        const auto one = [&](Value line, Value k) { return code.load(code.at(line, k, p.real), lanes, valid, p.real); };
        store(x, y, h, col, code.integer(p.kernel_w), lanes, valid, [&](Value line, Value before) {
          constexpr std::int64_t kUnrolled = 8;
          if (p.kernel_w <= kUnrolled) {
            for (std::int64_t k = 0; k < p.kernel_w; ++k) before = take(before, one(line, code.plus(from, k)));
            return before;
          }
          return code.loop(from, code.plus(from, p.kernel_w), 1, {before},
                           [&](Value k, const Values& sum) { return Values{take(sum[0], one(line, k))}; })[0];
        });
      });
      if (inner_to < p.cols) code.loop(code.integer(inner_to), code.integer(p.cols), edge);
    });
  });
  code.end_function();
}

}  // namespace

void write_pool(Code& code, const std::string& symbol, const Pool& p) {
  const bool is_whole = p.channels == 1 && p.rows == 1 && p.cols == 1 && p.kernel_h == p.in_rows &&
                        p.kernel_w == p.in_cols && p.top + p.left + p.bottom + p.right == 0;
  if (is_whole) return write_whole_planes(code, symbol, p);
  if (p.channels == 1 && p.stride_w == 1) return write_planes(code, symbol, p);
  write_channels(code, symbol, p);
}

}  // namespace byoc::bitcode
