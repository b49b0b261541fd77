#include "backends/llvm/kernels/product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "backends/llvm/kernels/pixels.hpp"

namespace byoc::bitcode {
namespace {

constexpr std::int64_t kLine = 64;  // bytes of a line of the cache

// The cost of one step of the depth: independent additions, loads at half their price, the latency that a block of few
// results waits for, and a price for each vector of weights.
double step_cost(std::int64_t pixels, std::int64_t vectors, double weights) {
  constexpr double kLatency = 4;
  const auto p = static_cast<double>(pixels), v = static_cast<double>(vectors);
  return std::max(p * v, kLatency) + 0.5 * (p + v) + weights * v;
}

// The price of a vector of weights beside its load: a panel that is larger than the first cache comes from the second
// one for every tile, in about the time of five additions for each line.
double weights_cost(const Product& p, const Tile& t) {
  constexpr std::int64_t kFirstCache = 32 * 1024, kFloat = 4;
  constexpr double kPerLine = 2.5;
  if (p.depth() * t.channels() * kFloat <= kFirstCache) return 0;
  return kPerLine * static_cast<double>(t.lanes * kFloat) / kLine;
}

double cost_of(const Product& p, const Tile& t) {
  const std::int64_t vectors = blocks_of(p.out, t.lanes), whole = vectors / t.vectors, last = vectors % t.vectors;
  constexpr double kPerTile = 20;  // the bias, the stores, the loop, in steps of the depth
  const double weights = weights_cost(p, t);
  double cost = 0;
  for (const auto& [rows, row_count] : pieces(p.rows, t.rows))
    for (const auto& [cols, col_count] : pieces(p.cols, t.cols)) {
      const double depth = static_cast<double>(p.depth());
      double tile = static_cast<double>(whole) * (depth * step_cost(rows * cols, t.vectors, weights) + kPerTile);
      if (last != 0) tile += depth * step_cost(rows * cols, last, weights) + kPerTile;
      cost += static_cast<double>(row_count * col_count) * tile;
    }
  return cost;
}

std::size_t arguments_of(const Product& p) { return std::size_t{4} + (p.scales ? 1 : 0) + (p.adds ? 1 : 0); }

// Weights that stay in the cache are read for every tile, others once for all.
bool reads_weights_once(const Product& p, const Tile& tile) {
  constexpr std::int64_t kCached = std::int64_t{64} * 1024;  // floats
  return blocks_of(p.out, tile.channels()) * tile.channels() * p.depth() > kCached;
}

Split split_of(const Product& p, const Tile& tile) {
  constexpr std::int64_t kEnough = 8;  // for as many threads as a part of the weights should go to each
  const std::int64_t panels = blocks_of(p.out, tile.channels());
  if (reads_weights_once(p, tile) && panels >= kEnough) return {Loop::panels, panels};
  return most_pieces(p.images, blocks_of(p.rows, tile.rows), blocks_of(p.cols, tile.cols), panels);
}
Split depthwise_split_of(const Product& p, const Tile& tile) {
  return most_pieces(p.images, p.rows, blocks_of(p.cols, tile.cols), blocks_of(p.groups, tile.channels()));
}

// A kernel under construction.
class ProductWriter {
 public:
  ProductWriter(Code& code, const Product& p, const Tile& tile)
      : code_(code),
        p_(p),
        tile_(tile),
        x_(code.argument(0)),
        w_(code.argument(1)),
        bias_(code.argument(2)),
        scale_(p.scales ? code.argument(3) : nullptr),
        r_(p.adds ? code.argument(p.scales ? 4 : 3) : nullptr),
        y_(code.argument(arguments_of(p) - 1)),
        split_(split_of(p, tile)) {}

  void run() {
    // Taps that neighbour in memory are channels of one that is wider.
    joined_ = p_.groups == 1 && p_.dilation_w == 1;
    const std::int64_t panel_size = p_.depth() * tile_.channels(), panels = blocks_of(p_.out, tile_.channels());
    const auto all_panels = [&](const std::function<void(Place, std::int64_t)>& body, const Place& at) {
      for_pieces(code_, is_split(Loop::panels), p_.out, tile_.channels(), [&](Value channel, std::int64_t channels) {
        Place own = at;
        own.w = code_.at(at.w, code_.times(channel, p_.depth()), p_.w);
        own.bias = code_.at(at.bias, channel);
        if (p_.scales) own.scale = code_.at(at.scale, channel);
        if (p_.adds) own.r = code_.at(at.r, channel, p_.y);
        own.y = code_.at(at.y, channel, p_.y);
        body(own, channels);
      });
    };
    for_each(code_, is_split(Loop::images), 0, p_.images, [&](Value image) {
      code_.loop(p_.groups, [&](Value group) {
        Place at;
        at.x = code_.at(code_.at(x_, code_.times(image, p_.x_image)), code_.times(group, p_.in));
        at.w = code_.at(w_, code_.times(group, panels * panel_size), p_.w);
        at.bias = code_.at(bias_, code_.times(group, panels * tile_.channels()));
        if (p_.scales) at.scale = code_.at(scale_, code_.times(group, panels * tile_.channels()));
        const Value to = code_.plus(code_.times(image, p_.y_image), code_.times(group, p_.out));
        at.y = code_.at(y_, to, p_.y);
        if (p_.adds) at.r = code_.at(r_, to, p_.y);
        if (!reads_weights_once(p_, tile_))
          all_tiles(at, [&](const Place& tile, std::int64_t rows, std::int64_t cols) {
            all_panels([&](const Place& own, std::int64_t channels) { block(own, rows, cols, channels); }, tile);
          });
        else
          all_panels(
              [&](const Place& own, std::int64_t channels) {
                all_tiles(own, [&](const Place& tile, std::int64_t rows, std::int64_t cols) {
                  block(tile, rows, cols, channels);
                });
              },
              at);
      });
    });
  }

 private:
  struct Place {
    Value x = nullptr, w = nullptr, bias = nullptr, scale = nullptr, r = nullptr, y = nullptr;
  };

  [[nodiscard]] bool is_split(Loop loop) const { return p_.by_range && split_.loop == loop; }

  void all_tiles(const Place& at, const std::function<void(const Place&, std::int64_t, std::int64_t)>& body) {
    for_pieces(code_, is_split(Loop::rows), p_.rows, tile_.rows, [&](Value row, std::int64_t rows) {
      for_pieces(code_, is_split(Loop::cols), p_.cols, tile_.cols, [&](Value col, std::int64_t cols) {
        Place own = at;
        own.x = code_.at(
            at.x, code_.plus(code_.times(row, p_.stride_h * p_.x_row), code_.times(col, p_.stride_w * p_.x_col)));
        const Value to = code_.plus(code_.times(row, p_.y_row), code_.times(col, p_.y_col));
        own.y = code_.at(at.y, to, p_.y);
        if (p_.adds) own.r = code_.at(at.r, to, p_.y);
        body(own, rows, cols);
      });
    });
  }

  // If there are few sums, each consists of several that do not wait for one another: the same number in all blocks, so
  // that equal channels have equal results.
  [[nodiscard]] std::int64_t chains(std::int64_t run) const {
    constexpr std::int64_t kLatency = 4;
    const std::int64_t sums = tile_.rows * tile_.cols * tile_.vectors;
    std::int64_t out = 1;
    while (out * sums < kLatency && run % (out * 2) == 0) out *= 2;
    return out;
  }

  void block(const Place& at, std::int64_t rows, std::int64_t cols, std::int64_t channels) {
    const std::int64_t lanes = tile_.lanes, vectors = blocks_of(channels, lanes), pixels = rows * cols;
    const std::int64_t run = joined_ ? p_.in * p_.kernel_w : p_.in;
    const std::int64_t parts = chains(run);
    Values sums;
    for (std::int64_t part = 0; part < parts; ++part)
      for (std::int64_t p = 0; p < pixels; ++p)
        for (std::int64_t v = 0; v < vectors; ++v)
          sums.push_back(part == 0 && !p_.scales ? code_.load(code_.at(at.bias, v * lanes), lanes)
                                                 : code_.real(0, lanes));
    constexpr std::int64_t kAhead = 16;  // steps of the depth
    const bool fetches_ahead = weights_cost(p_, tile_) > 0;
    const auto step = [&](Value x, Value w, const Values& before) {
      Values after = before;
      for (std::int64_t part = 0; part < parts; ++part) {
        Values weights;
        if (fetches_ahead)
          for (std::int64_t byte = 0; byte < size_of(p_.w) * tile_.channels(); byte += kLine)
            code_.prefetch(w, size_of(p_.w) * (part + kAhead) * tile_.channels() + byte);
        for (std::int64_t v = 0; v < vectors; ++v)
          weights.push_back(code_.load(code_.at(w, part * tile_.channels() + v * lanes, p_.w), lanes, lanes, p_.w));
        for (std::int64_t p = 0; p < pixels; ++p) {
          const std::int64_t from = p / cols * p_.stride_h * p_.x_row + p % cols * p_.stride_w * p_.x_col + part;
          const Value pixel = code_.spread(code_.load(code_.at(x, from), 1), lanes);
          for (std::int64_t v = 0; v < vectors; ++v) {
            Value& sum = after[static_cast<std::size_t>((part * pixels + p) * vectors + v)];
            sum = code_.multiply_add(pixel, weights[static_cast<std::size_t>(v)], sum);
          }
        }
      }
      return after;
    };
    constexpr std::int64_t kFloat = sizeof(float);
    const std::int64_t w_run = size_of(p_.w) * tile_.channels(), w_tap = run * w_run,
                       w_row = p_.depth() / p_.kernel_h * w_run;
    sums = sum_over(code_, p_.kernel_h, at.x, at.w, kFloat * p_.dilation_h * p_.x_row, w_row, sums,
                    [&](Value x, Value w, const Values& before) {
                      return sum_over(code_, joined_ ? 1 : p_.kernel_w, x, w, kFloat * p_.dilation_w * p_.x_col, w_tap,
                                      before, [&](Value own_x, Value own_w, const Values& sum) {
                                        return sum_over(code_, run / parts, own_x, own_w, kFloat * parts, parts * w_run,
                                                        sum, step);
                                      });
                    });
    for (std::int64_t part = 1; part < parts; ++part)
      for (std::int64_t i = 0; i < pixels * vectors; ++i)
        sums[static_cast<std::size_t>(i)] =
            code_.add(sums[static_cast<std::size_t>(i)], sums[static_cast<std::size_t>(part * pixels * vectors + i)]);
    for (std::int64_t p = 0; p < pixels; ++p)
      for (std::int64_t v = 0; v < vectors; ++v) {
        const std::int64_t to = p / cols * p_.y_row + p % cols * p_.y_col + v * lanes;
        const std::int64_t valid = std::min(lanes, channels - v * lanes);
        Value out = sums[static_cast<std::size_t>(p * vectors + v)];
        if (p_.scales)
          out = code_.multiply_add(out, code_.load(code_.at(at.scale, v * lanes), lanes),
                                   code_.load(code_.at(at.bias, v * lanes), lanes));
        if (p_.adds)
          out = code_.add(code_.rounded(out, p_.y), code_.load(code_.at(at.r, to, p_.y), lanes, valid, p_.y));
        code_.store(clamped(code_, out, p_.bounds, lanes), code_.at(at.y, to, p_.y), valid, p_.y);
      }
  }

  Code& code_;
  const Product& p_;
  const Tile& tile_;
  const Value x_, w_, bias_, scale_, r_, y_;
  const Split split_;
  bool joined_ = false;
};

}  // namespace

Product flattened(Product p) {
  const bool is_dense = p.x_row * p.stride_h == p.cols * p.stride_w * p.x_col && p.y_row == p.cols * p.y_col;
  if (p.rows == 1 || is_dense) {
    p.cols *= p.rows;
    p.rows = 1;
  }
  const bool images_too = p.rows == 1 && p.x_image == p.cols * p.stride_w * p.x_col && p.y_image == p.cols * p.y_col;
  if (images_too) {
    p.cols *= p.images;
    p.images = 1;
  }
  return p;
}

Tile choose_tile(const Machine& machine, const Product& p) {
  Tile best;
  double least = std::numeric_limits<double>::infinity();
  std::int64_t lanes = machine.lanes;
  while (lanes > 1 && lanes / 2 >= p.out) lanes /= 2;
  // Without a fused instruction a product needs a register of its own.
  const std::int64_t room = machine.registers - (machine.fused ? 1 : 2);
  constexpr std::int64_t kMostVectors = 8, kMostPixels = 28;
  for (std::int64_t v = 1; v <= kMostVectors && v <= blocks_of(p.out, lanes); ++v) {
    for (std::int64_t pixels = 1; pixels <= kMostPixels && (pixels == 1 || pixels * v + v <= room); ++pixels) {
      Tile t{lanes, v, 1, std::min(pixels, p.cols)};
      if (p.cols < pixels) t.rows = std::min(pixels / p.cols, p.rows);
      const double cost = cost_of(p, t);
      if (cost < least) {
        least = cost;
        best = t;
      }
    }
  }
  return best;
}

std::int64_t pieces_of(const Product& p, const Tile& tile) { return split_of(p, tile).pieces; }

void write_product(Code& code, const std::string& symbol, const Product& p, const Tile& tile) {
  code.begin_function(symbol, arguments_of(p), false, true, p.by_range);
  ProductWriter(code, p, tile).run();
  code.end_function();
}

Tile choose_depthwise_tile(const Machine& machine, const Product& p) {
  Tile t{machine.lanes, 1, 1, 1};
  while (t.lanes > 1 && t.lanes / 2 >= p.groups) t.lanes /= 2;
  // As many sums as hide the latency of each, and a register each for the weights and the product.
  const std::int64_t sums = std::min<std::int64_t>(8, machine.registers - 3);
  t.vectors = std::min<std::int64_t>(2, blocks_of(p.groups, t.lanes));
  t.cols = std::min(p.cols, std::max<std::int64_t>(1, sums / t.vectors));
  return t;
}

std::int64_t depthwise_pieces_of(const Product& p, const Tile& tile) { return depthwise_split_of(p, tile).pieces; }

void write_depthwise(Code& code, const std::string& symbol, const Product& p, const Tile& tile) {
  code.begin_function(symbol, arguments_of(p), false, true, p.by_range);
  const auto is_split = [&, split = depthwise_split_of(p, tile)](Loop loop) {
    return p.by_range && split.loop == loop;
  };
  const Value target = code.argument(arguments_of(p) - 1);
  const std::int64_t lanes = tile.lanes, taps = p.kernel_h * p.kernel_w;
  const auto block = [&](Value x, Value w, Value bias, Value scale, Value y, std::int64_t cols, std::int64_t channels) {
    const std::int64_t vectors = blocks_of(channels, lanes);
    Values sums;
    for (std::int64_t c = 0; c < cols; ++c)
      for (std::int64_t v = 0; v < vectors; ++v)
        sums.push_back(p.scales ? code.real(0, lanes) : code.load(code.at(bias, v * lanes), lanes));
    const auto row = [&](Value i, const Values& before) {
      Values after = before;
      const Value from = code.at(x, code.times(i, p.dilation_h * p.x_row));
      const Value weights = code.at(w, code.times(i, p.kernel_w * tile.channels()), p.w);
      for (std::int64_t k = 0; k < p.kernel_w; ++k)
        for (std::int64_t v = 0; v < vectors; ++v) {
          const Value weight = code.load(code.at(weights, k * tile.channels() + v * lanes, p.w), lanes, lanes, p.w);
          const std::int64_t valid = std::min(lanes, channels - v * lanes);
          for (std::int64_t c = 0; c < cols; ++c) {
            const std::int64_t at = (c * p.stride_w + k * p.dilation_w) * p.x_col + v * lanes;
            Value& sum = after[static_cast<std::size_t>(c * vectors + v)];
            sum = code.multiply_add(code.load(code.at(from, at), lanes, valid), weight, sum);
          }
        }
      return after;
    };
    if (p.kernel_h * p.kernel_w <= 25)
      for (std::int64_t i = 0; i < p.kernel_h; ++i) sums = row(code.integer(i), sums);
    else
      sums = code.loop(code.integer(0), code.integer(p.kernel_h), 1, sums, row);
    for (std::int64_t c = 0; c < cols; ++c)
      for (std::int64_t v = 0; v < vectors; ++v) {
        Value out = sums[static_cast<std::size_t>(c * vectors + v)];
        if (p.scales)
          out = code.multiply_add(out, code.load(code.at(scale, v * lanes), lanes),
                                  code.load(code.at(bias, v * lanes), lanes));
        code.store(clamped(code, out, p.bounds, lanes), code.at(y, c * p.y_col + v * lanes, p.y),
                   std::min(lanes, channels - v * lanes), p.y);
      }
  };
  for_each(code, is_split(Loop::images), 0, p.images, [&](Value image) {
    for_pieces(code, is_split(Loop::panels), p.groups, tile.channels(), [&](Value channel, std::int64_t channels) {
      const Value w = code.at(code.argument(1), code.times(channel, taps), p.w);
      const Value bias = code.at(code.argument(2), channel);
      const Value scale = p.scales ? code.at(code.argument(3), channel) : nullptr;
      for_each(code, is_split(Loop::rows), 0, p.rows, [&](Value row) {
        for_pieces(code, is_split(Loop::cols), p.cols, tile.cols, [&](Value col, std::int64_t cols) {
          const Value from = code.plus(code.plus(code.times(image, p.x_image), code.times(row, p.stride_h * p.x_row)),
                                       code.plus(code.times(col, p.stride_w * p.x_col), channel));
          const Value to = code.plus(code.plus(code.times(image, p.y_image), code.times(row, p.y_row)),
                                     code.plus(code.times(col, p.y_col), channel));
          block(code.at(code.argument(0), from), w, bias, scale, code.at(target, to, p.y), cols, channels);
        });
      });
    });
  });
  code.end_function();
}

std::string key_of(const Product& p, const Tile& t) {
  std::ostringstream out;
  for (const std::int64_t n : {p.images,
                               p.groups,
                               p.in,
                               p.out,
                               p.rows,
                               p.cols,
                               p.kernel_h,
                               p.kernel_w,
                               p.stride_h,
                               p.stride_w,
                               p.dilation_h,
                               p.dilation_w,
                               p.x_image,
                               p.x_row,
                               p.x_col,
                               p.y_image,
                               p.y_row,
                               p.y_col,
                               std::int64_t{p.scales},
                               std::int64_t{p.adds},
                               std::int64_t{p.by_range},
                               static_cast<std::int64_t>(p.w),
                               static_cast<std::int64_t>(p.y),
                               t.lanes,
                               t.vectors,
                               t.rows,
                               t.cols})
    out << n << ' ';
  out << std::hexfloat << p.bounds.lo << ' ' << p.bounds.hi;
  return out.str();
}

}  // namespace byoc::bitcode
