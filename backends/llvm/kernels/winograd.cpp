#include "backends/llvm/kernels/winograd.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace byoc::bitcode {
namespace {

using Four = std::array<Value, 4>;

// B^T of a column.
Four of_input(Code& code, const Four& d) {
  return {code.subtract(d[0], d[2]), code.add(d[1], d[2]), code.subtract(d[2], d[1]), code.subtract(d[1], d[3])};
}

// A^T of a column.
std::array<Value, 2> of_output(Code& code, const Four& m) {
  return {code.add(code.add(m[0], m[1]), m[2]), code.subtract(code.subtract(m[1], m[2]), m[3])};
}

std::int64_t lanes_for(const Code& code, std::int64_t channels) {
  std::int64_t lanes = code.machine().lanes;
  while (lanes > 1 && lanes / 2 >= channels) lanes /= 2;
  return lanes;
}

}  // namespace

void write_winograd_input(Code& code, const std::string& symbol, const Winograd& w) {
  code.begin_function(symbol, 2, false, true);
  const std::int64_t lanes = lanes_for(code, w.in);
  code.loop(w.tile_rows(), [&](Value tile_row) {
    code.loop(w.tile_cols(), [&](Value tile_col) {
      const Value from = code.plus(code.times(tile_row, 2 * w.x_row), code.times(tile_col, 2 * w.in));
      const Value to = code.times(code.plus(code.times(tile_row, w.tile_cols()), tile_col), w.x_tile());
      for_pieces(code, w.in, lanes, [&](Value channel, std::int64_t valid) {
        const Value x = code.at(code.argument(0), code.plus(from, channel));
        const Value tile = code.at(code.argument(1), code.plus(to, channel));
        std::array<Four, 4> rows;  // [column of the transform][row of the image]
        for (std::size_t r = 0; r < 4; ++r) {
          Four pixels;
          for (std::size_t c = 0; c < 4; ++c)
            pixels[c] = code.load(
                code.at(x, static_cast<std::int64_t>(r) * w.x_row + static_cast<std::int64_t>(c) * w.in), lanes, valid);
          const Four across = of_input(code, pixels);
          for (std::size_t c = 0; c < 4; ++c) rows[c][r] = across[c];
        }
        for (std::size_t c = 0; c < 4; ++c) {
          const Four down = of_input(code, rows[c]);
          for (std::size_t r = 0; r < 4; ++r)
            code.store(down[r], code.at(tile, static_cast<std::int64_t>(r * 4 + c) * w.in), valid);
        }
      });
    });
  });
  code.end_function();
}

void write_winograd_output(Code& code, const std::string& symbol, const Winograd& w) {
  const std::size_t y = w.adds ? 2 : 1;
  code.begin_function(symbol, y + 1, false, true);
  const std::int64_t lanes = lanes_for(code, w.out);
  const auto tile = [&](Value m, Value to, std::int64_t rows, std::int64_t cols) {
    for_pieces(code, w.out, lanes, [&](Value channel, std::int64_t valid) {
      std::array<Four, 2> columns;  // [column of the result][row of the transform]
      for (std::size_t r = 0; r < 4; ++r) {
        Four places;
        for (std::size_t c = 0; c < 4; ++c)
          places[c] =
              code.load(code.at(m, code.plus(channel, static_cast<std::int64_t>(r * 4 + c) * w.out)), lanes, valid);
        const auto across = of_output(code, places);
        for (std::size_t c = 0; c < 2; ++c) columns[c][r] = across[c];
      }
      for (std::int64_t c = 0; c < cols; ++c) {
        const auto down = of_output(code, columns[static_cast<std::size_t>(c)]);
        for (std::int64_t r = 0; r < rows; ++r) {
          const Value at = code.plus(code.plus(to, channel), r * w.y_row + c * w.out);
          Value out = down[static_cast<std::size_t>(r)];
          if (w.adds) out = code.add(out, code.load(code.at(code.argument(1), at), lanes, valid));
          code.store(clamped(code, out, w.bounds, lanes), code.at(code.argument(y), at), valid);
        }
      }
    });
  };
  for_pieces(code, w.rows, 2, [&](Value row, std::int64_t rows) {
    for_pieces(code, w.cols, 2, [&](Value col, std::int64_t cols) {
      // Rows and columns come in twos: half of them is a tile.
      const Value index = code.plus(code.times(code.half(row), w.tile_cols()), code.half(col));
      tile(code.at(code.argument(0), code.times(index, w.y_tile())),
           code.plus(code.times(row, w.y_row), code.times(col, w.out)), rows, cols);
    });
  });
  code.end_function();
}

Split split_of(const WinogradBands& w) {
  std::int64_t bands = 0;
  for (const WinogradBands::Group& group : w.groups) bands += group.count;
  return most_pieces(w.images, bands, 1, 1);
}

void write_no_place_taken(Code& code, const std::string& symbol) {
  code.begin_function(symbol, 1, false, true);
  code.store_words(code.word(0, 1), code.argument(0));
  code.end_function();
}

void write_winograd_bands(Code& code, const std::string& symbol, const WinogradBands& w) {
  const bool adds = w.groups.front().band.adds;
  enum : std::size_t { x, weights, bias, r };
  const std::size_t y = adds ? r + 1 : r, between = y + 1, taken = between + 1;
  code.begin_function(symbol, w.by_range ? taken + 1 : taken, false, false, w.by_range);
  const Loop shared = split_of(w).loop;
  const auto is_split = [&](Loop loop) { return w.by_range && loop == shared; };
  const Value place = w.by_range ? code.take_place(code.argument(taken), w.places) : code.integer(0);
  const Value before = code.at(code.argument(between), code.times(place, w.between));
  const Value after = code.at(before, w.before);
  for_each(code, is_split(Loop::images), 0, w.images, [&](Value image) {
    const Value x_from = code.times(image, w.x_image), y_from = code.times(image, w.y_image);
    std::int64_t first = 0, row = 0;  // of the group
    for (const WinogradBands::Group& group : w.groups) {
      for_each(code, is_split(Loop::rows), first, first + group.count, [&](Value band) {
        const Winograd& own = group.band;
        const Value from = code.plus(code.times(code.minus(band, code.integer(first)), own.rows), row);
        const Value x_at = code.at(code.argument(x), code.plus(x_from, code.times(from, own.x_row)));
        const Value to = code.plus(y_from, code.times(from, own.y_row));
        code.call(group.in, Values{x_at, before});
        code.call(group.product, Values{before, code.argument(weights), code.argument(bias), after});
        Values back{after, code.at(code.argument(y), to)};
        if (adds) back.insert(back.begin() + 1, code.at(code.argument(r), to));
        code.call(group.out, back);
      });
      first += group.count;
      row += group.count * group.band.rows;
    }
  });
  if (w.by_range) code.leave_place(code.argument(taken), place);
  code.end_function();
}

std::string key_of(const WinogradBands& w) {
  std::ostringstream out;
  for (const WinogradBands::Group& g : w.groups)
    out << g.count << ' ' << g.band.rows << ' ' << g.in << ' ' << g.product << ' ' << g.out << ' ';
  const Winograd& band = w.groups.front().band;
  for (const std::int64_t n : {w.images, w.x_image, band.x_row, w.y_image, band.y_row, w.before, w.between,
                               std::int64_t{w.by_range}, w.places})
    out << n << ' ';
  return out.str();
}

std::string input_key(const Winograd& w) {
  std::ostringstream out;
  for (const std::int64_t n : {w.in, w.tile_rows(), w.tile_cols(), w.x_row}) out << n << ' ';
  return out.str();
}

std::string output_key(const Winograd& w) {
  std::ostringstream out;
  for (const std::int64_t n : {w.out, w.rows, w.cols, w.y_row, std::int64_t{w.adds}}) out << n << ' ';
  out << std::hexfloat << w.bounds.lo << ' ' << w.bounds.hi;
  return out.str();
}

std::array<float, 16> winograd_weights(const std::array<float, 9>& window) {
  const auto transform = [](float a, float b, float c) {
    return std::array{a, 0.5F * (a + b + c), 0.5F * (a - b + c), c};
  };
  std::array<std::array<float, 4>, 3> across;
  for (std::size_t r = 0; r < 3; ++r) across[r] = transform(window[3 * r], window[3 * r + 1], window[3 * r + 2]);
  std::array<float, 16> out{};
  for (std::size_t c = 0; c < 4; ++c) {
    const auto down = transform(across[0][c], across[1][c], across[2][c]);
    for (std::size_t r = 0; r < 4; ++r) out[r * 4 + c] = down[r];
  }
  return out;
}

}  // namespace byoc::bitcode
