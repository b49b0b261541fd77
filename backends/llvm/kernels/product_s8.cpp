#include "backends/llvm/kernels/product_s8.hpp"

#include <algorithm>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"

namespace byoc::bitcode {
namespace {

// What the channels from `channel` on are scaled by; `padded` of them are in each row of the parameters.
Code::Requantisation requantisation(Code& code, const ProductS8& p, Value parameters, Value channel,
                                    std::int64_t padded, std::int64_t lanes) {
  const auto of = [&](Parameter which) {
    const Value at = code.plus(channel, static_cast<std::int64_t>(which) * padded);
    return code.load_longs(code.at_byte(parameters, code.times(at, 8)), lanes);
  };
  return {of(Parameter::q),
          of(Parameter::add),
          of(Parameter::below),
          of(Parameter::shift),
          of(Parameter::ties),
          p.low,
          p.high,
          p.zero};
}

std::int64_t blocks_of(std::int64_t n, std::int64_t block) { return (n + block - 1) / block; }

Split split_of(const ProductS8& of, const Tile& tile) {
  const Product& p = of.words;
  return most_pieces(p.images, blocks_of(p.rows, tile.rows), blocks_of(p.cols, tile.cols),
                     blocks_of(p.out, tile.channels()));
}
Split depthwise_split_of(const Product& p, const Tile& tile) {
  return most_pieces(p.images, p.rows, blocks_of(p.cols, tile.cols), blocks_of(p.groups, tile.channels()));
}

class Writer {
 public:
  Writer(Code& code, const ProductS8& of, const Tile& tile)
      : code_(code),
        of_(of),
        p_(of.words),
        tile_(tile),
        panels_(blocks_of(p_.out, tile.channels())),
        split_(split_of(of, tile)) {}

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
          const Value x = code_.at(code_.argument(0), from), y = code_.at_byte(code_.argument(4), to);
          for_pieces(code_, is_split(Loop::panels), p_.out, tile_.channels(),
                     [&](Value channel, std::int64_t channels) { block(channel, x, y, rows, cols, channels); });
        });
      });
    });
  }

 private:
  void block(Value first, Value x, Value y, std::int64_t rows, std::int64_t cols, std::int64_t channels) {
    const std::int64_t lanes = tile_.lanes, vectors = blocks_of(channels, lanes), pixels = rows * cols;
    const Value weights = code_.at(code_.argument(1), code_.times(first, p_.depth()));
    const Value bias = code_.at(code_.argument(2), first);
    Values sums;
    for (std::int64_t i = 0; i < pixels; ++i)
      for (std::int64_t v = 0; v < vectors; ++v) sums.push_back(code_.load_words(code_.at(bias, v * lanes), lanes));
    const auto step = [&](Value from, Value w, const Values& before) {
      Values after = before, of_channels;
      for (std::int64_t v = 0; v < vectors; ++v) of_channels.push_back(code_.load_words(code_.at(w, v * lanes), lanes));
      for (std::int64_t i = 0; i < pixels; ++i) {
        const std::int64_t at = i / cols * p_.stride_h * p_.x_row + i % cols * p_.stride_w * p_.x_col;
        const Value pixel = code_.spread(code_.load_words(code_.at(from, at), 1), lanes);
        for (std::int64_t v = 0; v < vectors; ++v) {
          Value& sum = after[static_cast<std::size_t>(i * vectors + v)];
          sum = code_.dot(pixel, of_channels[static_cast<std::size_t>(v)], sum);
        }
      }
      return after;
    };
    const std::int64_t tap = p_.in * tile_.channels();
    sums = sum_over(code_, p_.kernel_h, x, weights, p_.dilation_h * p_.x_row, p_.kernel_w * tap, sums,
                    [&](Value row_x, Value row_w, const Values& before) {
                      return sum_over(code_, p_.kernel_w, row_x, row_w, p_.dilation_w * p_.x_col, tap, before,
                                      [&](Value own_x, Value own_w, const Values& sum) {
                                        return sum_over(code_, p_.in, own_x, own_w, 1, tile_.channels(), sum, step);
                                      });
                    });
    for (std::int64_t v = 0; v < vectors; ++v) finish(first, y, sums, v, cols, pixels, vectors, channels);
  }

  // The results of one vector of channels.
  void finish(Value first, Value y, const Values& sums, std::int64_t v, std::int64_t cols, std::int64_t pixels,
              std::int64_t vectors, std::int64_t channels) {
    const Code::Requantisation how = requantisation(code_, of_, code_.argument(3), code_.plus(first, v * tile_.lanes),
                                                    panels_ * tile_.channels(), tile_.lanes);
    for (std::int64_t i = 0; i < pixels; ++i) {
      const Value bytes = code_.requantised(sums[static_cast<std::size_t>(i * vectors + v)], how);
      const Value to = code_.plus(first, i / cols * p_.y_row + i % cols * p_.y_col + v * tile_.lanes);
      code_.store_bytes(bytes, code_.at_byte(y, to), std::min(tile_.lanes, channels - v * tile_.lanes));
    }
  }

  Code& code_;
  const ProductS8& of_;
  const Product& p_;
  const Tile& tile_;
  const std::int64_t panels_;
  const Split split_;
};

std::int32_t four_times(std::uint8_t byte) { return static_cast<std::int32_t>(byte * 0x01010101U); }

}  // namespace

Tile choose_tile(const Machine& machine, const ProductS8& p) {
  // Without one instruction for all of it, the bytes of both operands are taken apart in registers.
  Machine own = machine;
  if (machine.dot != Machine::Dot::vnni) own.registers = std::max<std::int64_t>(4, machine.registers - 4);
  Product product = p.words;
  // Instructions on pairs are of four lanes at least.
  if (machine.lanes > 1) product.out = std::max<std::int64_t>(product.out, 4);
  return choose_tile(own, product);
}

std::int64_t pieces_of(const ProductS8& p, const Tile& tile) { return split_of(p, tile).pieces; }
std::int64_t depthwise_pieces_of(const ProductS8& p, const Tile& tile) {
  return depthwise_split_of(p.words, tile).pieces;
}

void write_product(Code& code, const std::string& symbol, const ProductS8& p, const Tile& tile) {
  code.begin_function(symbol, 5, false, true, p.words.by_range);
  Writer(code, p, tile).run();
  code.end_function();
}

void write_depthwise(Code& code, const std::string& symbol, const ProductS8& of, const Tile& tile) {
  const Product& p = of.words;
  const std::int64_t lanes = tile.lanes, taps = p.kernel_h * p.kernel_w;
  const std::int64_t padded = blocks_of(p.groups, tile.channels()) * tile.channels();
  code.begin_function(symbol, 5, false, true, p.by_range);
  const auto is_split = [&, split = depthwise_split_of(p, tile)](Loop loop) {
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
      const auto how = requantisation(code, of, code.argument(3), code.plus(channel, v * lanes), padded, lanes);
      for (std::int64_t c = 0; c < cols; ++c)
        code.store_bytes(code.requantised(sums[static_cast<std::size_t>(c * vectors + v)], how),
                         code.at_byte(y, c * p.y_col + v * lanes), std::min(lanes, channels - v * lanes));
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
  return key_of(p.words, tile) + " " + std::to_string(p.low) + " " + std::to_string(p.high) + " " +
         std::to_string(p.zero);
}

void write_framed(Code& code, const std::string& symbol, const FramedBytes& f) {
  code.begin_function(symbol, 2, false, true, f.by_range);
  const std::int64_t lanes = code.machine().lanes, pixel = f.words() * 4, row = f.cols * pixel;
  const std::int64_t rows = std::min(f.in_rows, f.rows - f.top), cols = std::min(f.in_cols, f.cols - f.left);
  const std::uint8_t flip = f.flipped ? 0x80 : 0, around = static_cast<std::uint8_t>(f.zero) ^ flip;
  const auto fill = [&](Value to, std::int64_t bytes) {
    for_pieces(code, bytes / 4, lanes, [&](Value i, std::int64_t valid) {
      for (std::int64_t k = 0; k < valid; k += valid == lanes ? lanes : 1)
        code.store_words(code.word(four_times(around), valid == lanes ? lanes : 1), code.at(to, code.plus(i, k)));
    });
  };
  const std::int64_t next_channel = f.channels_last ? 1 : f.in_rows * f.in_cols;
  const std::int64_t next_col = f.channels_last ? f.channels : 1, next_row = f.in_cols * next_col;
  const auto copy = [&](Value to, Value from) {
    if (f.channels_last && f.channels % 4 == 0) {
      for_pieces(code, cols * f.words(), lanes, [&](Value i, std::int64_t valid) {
        const std::int64_t each = valid == lanes ? lanes : 1;
        for (std::int64_t k = 0; k < valid; k += each) {
          const Value words = code.load_words(code.at(from, code.plus(i, k)), each);
          code.store_words(code.flip(words, flip * 0x01010101U), code.at(to, code.plus(i, k)));
        }
      });
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
        std::int64_t{f.flipped}, std::int64_t{f.channels_last}, std::int64_t{f.by_range}})
    out << n << ' ';
  return out.str();
}

}  // namespace byoc::bitcode
