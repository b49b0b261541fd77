#include "backends/llvm/kernels/pool.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"

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

void write_pool(Code& code, const std::string& symbol, const Pool& p) {
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

}  // namespace byoc::bitcode
