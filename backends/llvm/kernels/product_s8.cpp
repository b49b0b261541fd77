#include "backends/llvm/kernels/product_s8.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"

namespace byoc::bitcode {
namespace {

// The scaling of the channels from `channel` on; `padded` of them are in each row of the parameters.
Code::Requantisation requantisation(Code& code, const ProductS8& p, Value channel, std::int64_t padded,
                                    std::int64_t lanes) {
  const auto of = [&](Parameter which) {
    const Value at = code.plus(channel, static_cast<std::int64_t>(which) * padded);
    return code.load_longs(code.at_byte(code.argument(3), code.times(at, 8)), lanes);
  };
  return {of(Parameter::q),
          of(Parameter::add),
          p.exact ? nullptr : of(Parameter::below),
          of(Parameter::shift),
          p.exact ? of(Parameter::ties) : nullptr,
          p.low,
          p.high,
          p.zero};
}

// Stores the results of `valid` channels from `channel` on, for as many pixels as there are vectors of sums. Wide
// vectors are stored in parts, because the scaling of a channel takes five times 64 bits.
void store_results(Code& code, const ProductS8& p, Value channel, std::int64_t padded, const Values& sums,
                   std::int64_t valid, const std::function<Value(std::int64_t pixel)>& y) {
  const std::int64_t lanes = std::min(code.lanes_of(sums[0]), code.machine().long_lanes);
  for (std::int64_t from = 0; from < valid; from += lanes) {
    const Code::Requantisation how = requantisation(code, p, code.plus(channel, from), padded, lanes);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Value bytes = code.requantised(code.part(sums[i], from, lanes), how);
      code.store_bytes(bytes, code.at_byte(y(static_cast<std::int64_t>(i)), from), std::min(lanes, valid - from));
    }
  }
}

std::int64_t blocks_in(std::int64_t n, std::int64_t block) { return (n + block - 1) / block; }

Split split_s8(const ProductS8& of, const Tile& tile) {
  const Product& p = of.units;
  return most_pieces(p.images, blocks_in(p.rows, tile.rows), blocks_in(p.cols, tile.cols),
                     blocks_in(p.out, tile.channels()));
}
Split depthwise_split_s8(const Product& p, const Tile& tile) {
  return most_pieces(p.images, p.rows, blocks_in(p.cols, tile.cols), blocks_in(p.groups, tile.channels()));
}

// The largest block of results that stays in registers.
struct Block {
  std::int64_t cols, pixels, vectors, channels;
};

class ProductWriterS8 {
 public:
  ProductWriterS8(Code& code, const ProductS8& of, const Tile& tile)
      : code_(code),
        of_(of),
        p_(of.units),
        tile_(tile),
        unit_(bytes_of(of.unit)),
        panels_(blocks_in(p_.out, tile.channels())),
        split_(split_s8(of, tile)) {}

  void run() {
    const auto is_split = [&](Loop loop) { return p_.by_range && split_.loop == loop; };
    for_each(code_, is_split(Loop::images), 0, p_.images, [&](Value image) {
      for_pieces(code_, is_split(Loop::rows), p_.rows, tile_.rows, [&](Value row, std::int64_t rows) {
        for_pieces(code_, is_split(Loop::cols), p_.cols, tile_.cols, [&](Value col, std::int64_t cols) {
          const Value from = code_.plus(
              code_.times(image, p_.x_image),
              code_.plus(code_.times(row, p_.stride_h * p_.x_row), code_.times(col, p_.stride_w * p_.x_col)));
          const Value to = code_.plus(code_.times(image, p_.y_image),
                                      code_.plus(code_.times(row, p_.y_row), code_.times(col, p_.y_col)));
          const Value x = code_.at_byte(code_.argument(0), from), y = code_.at_byte(code_.argument(4), to);
          for_pieces(code_, is_split(Loop::panels), p_.out, tile_.channels(),
                     [&](Value channel, std::int64_t channels) {
                       block({cols, rows * cols, blocks_in(channels, tile_.lanes), channels}, channel, x, y);
                     });
        });
      });
    });
  }

 private:
  [[nodiscard]] bool is_of_matrices() const { return of_.unit == Unit::matrices; }
  [[nodiscard]] std::int64_t pixel_at(const Block& b, std::int64_t i) const {
    return i / b.cols * p_.stride_h * p_.x_row + i % b.cols * p_.stride_w * p_.x_col;
  }

  void block(const Block& b, Value first, Value x, Value y) {
    const Value weights = code_.at_byte(code_.argument(1), code_.times(first, p_.depth() * unit_));
    const auto step = [&](Value from, Value w, const Values& sums) {
      return is_of_matrices() ? add_matrices(b, from, w, sums) : add_vectors(b, from, w, sums);
    };
    const std::int64_t of_unit = unit_ * tile_.channels(), tap = p_.in * of_unit;
    const Value bias = code_.at(code_.argument(2), first);
    const Values sums =
        sum_over(code_, p_.kernel_h, x, weights, p_.dilation_h * p_.x_row, p_.kernel_w * tap, initial(b, bias),
                 [&](Value row_x, Value row_w, const Values& before) {
                   return sum_over(code_, p_.kernel_w, row_x, row_w, p_.dilation_w * p_.x_col, tap, before,
                                   [&](Value own_x, Value own_w, const Values& sum) {
                                     return sum_over(code_, p_.in, own_x, own_w, unit_, of_unit, sum, step);
                                   });
                 });
    for (std::int64_t v = 0; v < b.vectors; ++v) finish(b, first, y, sums, v);
  }

  // [pixel][vector of channels], or of matrices [two pixels][two channels].
  Values initial(const Block& b, Value bias) {
    Values sums;
    if (is_of_matrices()) {
      for (std::int64_t i = 0; i < b.pixels; i += 2)
        for (std::int64_t c = 0; c < b.vectors * tile_.lanes; c += 2) {
          const Value two = code_.load_words(code_.at(bias, c), 2);
          sums.push_back(code_.join(two, two));
        }
      return sums;
    }
    for (std::int64_t i = 0; i < b.pixels; ++i)
      for (std::int64_t v = 0; v < b.vectors; ++v)
        sums.push_back(code_.load_words(code_.at(bias, v * tile_.lanes), tile_.lanes));
    return sums;
  }

  Values add_vectors(const Block& b, Value x, Value w, Values sums) {
    const std::int64_t lanes = tile_.lanes;
    const bool bytes = of_.unit == Unit::byte;
    Values weights;
    for (std::int64_t v = 0; v < b.vectors; ++v) {
      const Value at = code_.at_byte(w, v * lanes * unit_);
      weights.push_back(bytes ? code_.load_bytes(at, lanes, lanes) : code_.load_words(at, lanes));
    }
    for (std::int64_t i = 0; i < b.pixels; ++i) {
      const Value at = code_.at_byte(x, pixel_at(b, i));
      const Value pixel = bytes ? code_.spread_byte(at, lanes) : code_.spread(code_.load_words(at, 1), lanes);
      for (std::int64_t v = 0; v < b.vectors; ++v) {
        Value& sum = sums[static_cast<std::size_t>(i * b.vectors + v)];
        const Value weight = weights[static_cast<std::size_t>(v)];
        sum = bytes ? code_.add_words(sum, code_.multiply_words(pixel, weight)) : code_.dot(pixel, weight, sum);
      }
    }
    return sums;
  }

  // The second one of the last pixel, where their number is odd, is itself, and its results go nowhere.
  Values add_matrices(const Block& b, Value x, Value w, Values sums) {
    Values pixels;
    for (std::int64_t i = 0; i < b.pixels; i += 2) {
      const std::int64_t second = std::min(i + 1, b.pixels - 1);
      pixels.push_back(code_.join(code_.load_words(code_.at_byte(x, pixel_at(b, i)), 2),
                                  code_.load_words(code_.at_byte(x, pixel_at(b, second)), 2)));
    }
    const std::size_t twos = static_cast<std::size_t>(b.vectors * tile_.lanes / 2);
    for (std::size_t c = 0; c < twos; ++c) {
      const Value weights = code_.load_words(code_.at_byte(w, static_cast<std::int64_t>(c) * 2 * unit_), 4);
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        Value& sum = sums[i * twos + c];
        sum = code_.matrix_dot(pixels[i], weights, sum);
      }
    }
    return sums;
  }

  // The sums of one pixel and one vector of channels.
  Value sums_of(const Block& b, const Values& sums, std::int64_t pixel, std::int64_t v) {
    if (!is_of_matrices()) return sums[static_cast<std::size_t>(pixel * b.vectors + v)];
    const std::int64_t twos = b.vectors * tile_.lanes / 2, half = pixel % 2 * 2;
    const auto two = [&](std::int64_t c) {
      return code_.part(sums[static_cast<std::size_t>(pixel / 2 * twos + c)], half, 2);
    };
    Value out = two(v * tile_.lanes / 2);
    for (std::int64_t c = 1; c < tile_.lanes / 2; ++c) out = code_.join(out, two(v * tile_.lanes / 2 + c));
    return out;
  }

  // The results of one vector of channels.
  void finish(const Block& b, Value first, Value y, const Values& sums, std::int64_t v) {
    const std::int64_t at = v * tile_.lanes;
    Values own;
    for (std::int64_t i = 0; i < b.pixels; ++i) own.push_back(sums_of(b, sums, i, v));
    store_results(code_, of_, code_.plus(first, at), panels_ * tile_.channels(), own,
                  std::min(tile_.lanes, b.channels - at), [&](std::int64_t i) {
                    return code_.at_byte(y, code_.plus(first, i / b.cols * p_.y_row + i % b.cols * p_.y_col + at));
                  });
  }

  Code& code_;
  const ProductS8& of_;
  const Product& p_;
  const Tile& tile_;
  const std::int64_t unit_, panels_;
  const Split split_;
};

std::int32_t four_times(std::uint8_t byte) { return static_cast<std::int32_t>(byte * 0x01010101U); }

}  // namespace

Unit unit_for(const Machine& machine, std::int64_t channels, std::int64_t pixels) {
  // Half of the work is for nothing where there is one pixel, or where there are no more channels than in a word.
  if (machine.matrices && pixels > 1 && channels > bytes_of(Unit::word)) return Unit::matrices;
  return machine.dot == Machine::Dot::single ? Unit::byte : Unit::word;
}

Tile choose_tile(const Machine& machine, const ProductS8& p) {
  // Without one instruction for the whole product, the bytes of both operands are unpacked in registers. Processors
  // without vectors have few registers for integers.
  Machine own = machine;
  if (machine.dot != Machine::Dot::vnni && p.unit != Unit::byte)
    own.registers = std::max<std::int64_t>(4, machine.registers - 4);
  if (machine.lanes == 1) own.registers = std::min<std::int64_t>(8, own.registers);
  Product product = p.units;
  // Instructions on pairs are of four lanes at least.
  if (machine.lanes > 1) product.out = std::max<std::int64_t>(product.out, 4);
  Tile out = choose_tile(own, product);
  if (p.unit == Unit::matrices && out.rows == 1 && out.cols > 1) out.cols -= out.cols % 2;
  return out;
}

std::int64_t pieces_of(const ProductS8& p, const Tile& tile) { return split_s8(p, tile).pieces; }
std::int64_t depthwise_pieces_of(const ProductS8& p, const Tile& tile) {
  return depthwise_split_s8(p.units, tile).pieces;
}

void write_product(Code& code, const std::string& symbol, const ProductS8& p, const Tile& tile) {
  code.begin_function(symbol, 5, false, true, p.units.by_range);
  ProductWriterS8(code, p, tile).run();
  code.end_function();
}

void write_depthwise(Code& code, const std::string& symbol, const ProductS8& of, const Tile& tile) {
  const Product& p = of.units;
  const std::int64_t lanes = tile.lanes, taps = p.kernel_h * p.kernel_w;
  const std::int64_t padded = blocks_in(p.groups, tile.channels()) * tile.channels();
  code.begin_function(symbol, 5, false, true, p.by_range);
  const auto is_split = [&, split = depthwise_split_s8(p, tile)](Loop loop) {
    return p.by_range && split.loop == loop;
  };
  const auto block = [&](Value channel, Value x, Value w, Value y, std::int64_t cols, std::int64_t channels) {
    const std::int64_t vectors = (channels + lanes - 1) / lanes;
    Values sums;
    for (std::int64_t c = 0; c < cols; ++c)
      for (std::int64_t v = 0; v < vectors; ++v)
        sums.push_back(code.load_words(code.at(code.argument(2), code.plus(channel, v * lanes)), lanes));
    sums = code.loop(code.integer(0), code.integer(p.kernel_h), 1, sums, [&](Value i, const Values& before) {
      Values after = before;
      const Value from = code.at_byte(x, code.times(i, p.dilation_h * p.x_row));
      const Value weights = code.at_byte(w, code.times(i, p.kernel_w * tile.channels()));
      for (std::int64_t k = 0; k < p.kernel_w; ++k)
        for (std::int64_t v = 0; v < vectors; ++v) {
          const Value weight = code.load_bytes(code.at_byte(weights, k * tile.channels() + v * lanes), lanes, lanes);
          for (std::int64_t c = 0; c < cols; ++c) {
            const std::int64_t at = (c * p.stride_w + k * p.dilation_w) * p.x_col + v * lanes;
            const Value pixels = code.load_bytes(code.at_byte(from, at), lanes, std::min(lanes, channels - v * lanes));
            Value& sum = after[static_cast<std::size_t>(c * vectors + v)];
            sum = code.add_words(sum, code.multiply_words(pixels, weight));
          }
        }
      return after;
    });
    for (std::int64_t v = 0; v < vectors; ++v) {
      Values own;
      for (std::int64_t c = 0; c < cols; ++c) own.push_back(sums[static_cast<std::size_t>(c * vectors + v)]);
      store_results(code, of, code.plus(channel, v * lanes), padded, own, std::min(lanes, channels - v * lanes),
                    [&](std::int64_t c) { return code.at_byte(y, c * p.y_col + v * lanes); });
    }
  };
  for_each(code, is_split(Loop::images), 0, p.images, [&](Value image) {
    for_pieces(code, is_split(Loop::panels), p.groups, tile.channels(), [&](Value channel, std::int64_t channels) {
      const Value w = code.at_byte(code.argument(1), code.times(channel, taps));
      for_each(code, is_split(Loop::rows), 0, p.rows, [&](Value row) {
        for_pieces(code, is_split(Loop::cols), p.cols, tile.cols, [&](Value col, std::int64_t cols) {
          const Value from = code.plus(code.plus(code.times(image, p.x_image), code.times(row, p.stride_h * p.x_row)),
                                       code.plus(code.times(col, p.stride_w * p.x_col), channel));
          const Value to = code.plus(code.plus(code.times(image, p.y_image), code.times(row, p.y_row)),
                                     code.plus(code.times(col, p.y_col), channel));
          block(channel, code.at_byte(code.argument(0), from), w, code.at_byte(code.argument(4), to), cols, channels);
        });
      });
    });
  });
  code.end_function();
}

std::string key_of(const ProductS8& p, const Tile& tile) {
  std::ostringstream out;
  out << key_of(p.units, tile) << ' ' << bytes_of(p.unit) << ' ' << p.exact << ' ' << p.low << ' ' << p.high << ' '
      << p.zero;
  return out.str();
}

bool FramedBytes::is_there() const {
  return channels_last && !flipped && top == 0 && left == 0 && rows <= in_rows && cols <= in_cols &&
         pixel() == channels;
}

void write_framed(Code& code, const std::string& symbol, const FramedBytes& f) {
  code.begin_function(symbol, 2, false, true, f.by_range);
  const std::int64_t lanes = code.machine().lanes, pixel = f.pixel(), row = f.cols * pixel;
  const std::int64_t rows = std::min(f.in_rows, f.rows - f.top), cols = std::min(f.in_cols, f.cols - f.left);
  const std::uint8_t flip = f.flipped ? 0x80 : 0, around = static_cast<std::uint8_t>(f.zero) ^ flip;
  // Vectors of words, words, and the bytes behind the last one.
  const auto for_words = [&](std::int64_t bytes, const auto& words, const auto& byte) {
    for_pieces(code, bytes / 4, lanes, [&](Value i, std::int64_t valid) {
      const std::int64_t each = valid == lanes ? lanes : 1;
      for (std::int64_t k = 0; k < valid; k += each) words(code.plus(i, k), each);
    });
    for (std::int64_t i = bytes / 4 * 4; i < bytes; ++i) byte(i);
  };
  const auto fill = [&](Value to, std::int64_t bytes) {
    for_words(
        bytes,
        [&](Value i, std::int64_t each) { code.store_words(code.word(four_times(around), each), code.at(to, i)); },
        [&](std::int64_t i) { code.store_byte(around, code.at_byte(to, i)); });
  };
  const std::int64_t next_channel = f.channels_last ? 1 : f.in_rows * f.in_cols;
  const std::int64_t next_col = f.channels_last ? f.channels : 1, next_row = f.in_cols * next_col;
  const auto copy = [&](Value to, Value from) {
    if (f.channels_last && pixel == f.channels) {
      for_words(
          cols * pixel,
          [&](Value i, std::int64_t each) {
            const Value words = code.load_words(code.at(from, i), each);
            code.store_words(code.flip(words, flip * 0x01010101U), code.at(to, i));
          },
          [&](std::int64_t i) { code.copy_byte(code.at_byte(to, i), code.at_byte(from, i), flip); });
      return;
    }
    code.loop(cols, [&](Value col) {
      const Value source = code.at_byte(from, code.times(col, next_col));
      const Value target = code.at_byte(to, code.times(col, pixel));
      code.loop(f.channels, [&](Value c) {
        code.copy_byte(code.at_byte(target, c), code.at_byte(source, code.times(c, next_channel)), flip);
      });
      for (std::int64_t c = f.channels; c < pixel; ++c) code.store_byte(around, code.at_byte(target, c));
    });
  };
  code.loop(f.images, [&](Value image) {
    const Value from = code.at_byte(code.argument(0), code.times(image, f.in_rows * f.in_cols * f.channels));
    const Value to = code.at_byte(code.argument(1), code.times(image, f.rows * row));
    const auto fill_row = [&](Value r) { fill(code.at_byte(to, code.times(r, row)), row); };
    for_each(code, f.by_range, 0, f.top, fill_row);
    for_each(code, f.by_range, f.top, f.top + rows, [&](Value r) {
      const Value target = code.at_byte(to, code.times(r, row));
      fill(target, f.left * pixel);
      copy(code.at_byte(target, f.left * pixel), code.at_byte(from, code.times(code.plus(r, -f.top), next_row)));
      fill(code.at_byte(target, (f.left + cols) * pixel), (f.cols - f.left - cols) * pixel);
    });
    for_each(code, f.by_range, f.top + rows, f.rows, fill_row);
  });
  code.end_function();
}

std::string key_of(const FramedBytes& f) {
  std::ostringstream out;
  for (const std::int64_t n :
       {f.images, f.channels, f.in_rows, f.in_cols, f.top, f.left, f.rows, f.cols, std::int64_t{f.zero},
        std::int64_t{f.flipped}, std::int64_t{f.channels_last}, std::int64_t{f.by_range}, bytes_of(f.unit)})
    out << n << ' ';
  return out.str();
}

}  // namespace byoc::bitcode
