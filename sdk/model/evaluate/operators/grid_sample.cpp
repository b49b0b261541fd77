// GridSample: an image (or volume) sampled where a grid of normalised coordinates says. Coordinates and weights are
// float32, or double where the input is f64.
#include <array>
#include <cmath>
#include <functional>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/interpolation.hpp"

namespace byoc::evaluate {
namespace {

enum class Padding { zeros, border, reflection };
enum class GridMode { nearest, linear, cubic };

struct GridSettings {
  GridMode mode = GridMode::linear;
  Padding padding = Padding::zeros;
  bool align_corners = false;
};

Result<GridSettings> read_grid_settings(const Call& call) {
  const std::string mode = call.node.text("mode", "linear");
  const std::string padding = call.node.text("padding_mode", "zeros");
  GridSettings s;
  if (mode == "nearest")
    s.mode = GridMode::nearest;
  else if (mode == "cubic" || mode == "bicubic")
    s.mode = GridMode::cubic;
  else if (mode != "linear" && mode != "bilinear")
    return call.error("unknown mode", mode, "linear, nearest or cubic");
  if (padding == "border")
    s.padding = Padding::border;
  else if (padding == "reflection")
    s.padding = Padding::reflection;
  else if (padding != "zeros")
    return call.error("unknown padding_mode", padding, "zeros, border or reflection");
  s.align_corners = call.node.integer("align_corners", 0) != 0;
  return s;
}

// One dim of the image, in the number type of positions.
template <class R>
struct Line {
  std::int64_t size;
  R low, high;  // between what reflection folds back and forth

  Line(std::int64_t n, bool align_corners)
      : size(n), low(align_corners ? R{0} : R{-0.5}), high(static_cast<R>(n) - (align_corners ? R{1} : R{0.5})) {}

  [[nodiscard]] R clamp(R x) const {
    const R last = static_cast<R>(size - 1);
    return x < R{0} ? R{0} : x > last ? last : x;
  }
  [[nodiscard]] R reflect(R x) const {
    const R range = high - low;
    if (!(range > R{0})) return low;
    const bool below = x < low;
    if (!below && !(x > high)) return x;
    const R distance = below ? low - x : x - high;
    const R turns = std::floor(distance / range);
    const R rest = distance - turns * range;
    const bool even = std::fmod(turns, R{2}) == R{0};
    return below == even ? low + rest : high - rest;
  }
  // The element that stands for position `i`, a whole number; -1 where it is zero.
  [[nodiscard]] std::int64_t element(R i, Padding padding) const {
    if (padding == Padding::border) i = clamp(i);
    if (padding == Padding::reflection) i = clamp(std::trunc(reflect(i)));
    return i >= R{0} && i < static_cast<R>(size) ? static_cast<std::int64_t>(i) : -1;
  }
  // Converts a normalised coordinate to a position; border and reflection move it into the image. Cubic interpolation
  // uses a border element for each position outside instead, as PyTorch and ONNX Runtime do.
  [[nodiscard]] R position(R x, const GridSettings& s) const {
    const R n = static_cast<R>(size);
    R at = s.align_corners ? (x + R{1}) / R{2} * (n - R{1}) : ((x + R{1}) * n - R{1}) / R{2};
    if (s.mode == GridMode::nearest) at = std::nearbyint(at);
    const bool moves = s.padding == Padding::reflection || s.mode != GridMode::cubic;
    if (!moves || (at >= low && at <= high)) return at;
    return s.padding == Padding::border ? clamp(at) : s.padding == Padding::reflection ? reflect(at) : at;
  }
};

struct Sampled {
  std::int64_t element;  // of one dim; -1: zero
  double weight;
};

template <class R>
std::vector<Sampled> samples(const Line<R>& line, R at, const GridSettings& s) {
  if (!(std::fabs(at) < R{1e9})) return {};  // not a number, or nowhere near
  const auto tap = [&](R i, R weight) { return Sampled{line.element(i, s.padding), static_cast<double>(weight)}; };
  if (s.mode == GridMode::nearest) return {tap(at, R{1})};
  const R left = std::floor(at), ratio = at - left;
  if (s.mode == GridMode::linear) return {tap(left, R{1} - ratio), tap(left + R{1}, ratio)};
  const auto w = cubic_weights(ratio, R{-0.75});
  return {tap(left - R{1}, w[0]), tap(left, w[1]), tap(left + R{1}, w[2]), tap(left + R{2}, w[3])};
}

// The weighted sum over the dims from `d` on, inner dims first.
template <class R>
R weighted_sum(const std::vector<std::vector<Sampled>>& taps, std::size_t d, const Dims& strides,
               std::span<const R> image, std::int64_t at) {
  if (d == taps.size()) return image[static_cast<std::size_t>(at)];
  R sum{0};
  for (const Sampled& t : taps[d]) {
    const R value = t.element < 0 ? R{0} : weighted_sum(taps, d + 1, strides, image, at + t.element * strides[d]);
    sum += static_cast<R>(t.weight) * value;
  }
  return sum;
}

template <class R>
Outcome sample_grid(const Call& call, const GridSettings& s, const Dims& dims) {
  const Dims& from = *call.in(0).type.dims;
  const std::vector<R> x = reals<R>(call.in(0)), grid = reals<R>(call.in(1));
  const std::size_t rank = from.size() - 2;
  const Dims sizes(from.begin() + 2, from.end());
  const Dims strides = row_major_strides(sizes);
  const std::int64_t image = *product(sizes);
  const std::int64_t points = *product(Dims(dims.begin() + 2, dims.end()));
  std::vector<R> y;
  for (std::int64_t n = 0; n < dims[0]; ++n)
    for (std::int64_t c = 0; c < dims[1]; ++c)
      for (std::int64_t p = 0; p < points; ++p) {
        std::vector<std::vector<Sampled>> taps;
        for (std::size_t d = 0; d < rank; ++d) {
          // The grid has x first, the last dim of the image.
          const R g = grid[static_cast<std::size_t>(n * points + p) * rank + (rank - 1 - d)];
          const Line<R> line(sizes[d], s.align_corners);
          taps.push_back(samples(line, line.position(g, s), s));
        }
        const auto plane = static_cast<std::size_t>((n * dims[1] + c) * image);
        y.push_back(weighted_sum<R>(taps, 0, strides, std::span(x).subspan(plane, static_cast<std::size_t>(image)), 0));
      }
  return single(call.from_reals(call.in(0).type.dtype, dims, std::span<const R>(y)));
}

}  // namespace

Outcome grid_sample(const Call& call) {
  const Result<GridSettings> settings = read_grid_settings(call);
  if (!settings) return failure;
  const Dims& from = *call.in(0).type.dims;
  const Dims& grid = *call.in(1).type.dims;
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype) && !is_integer(dtype)) return call.unsupported_dtype(0, "a number");
  if (!is_float(call.in(1).type.dtype)) return call.unsupported_dtype(1, "a float");
  if (call.quantisation_of(0) != nullptr) return call.error("does not sample quantised values");
  if ((from.size() != 4 && from.size() != 5) || grid.size() != from.size() || grid[0] != from[0] ||
      grid.back() != std::ssize(from) - 2)
    return call.error("the grid does not fit the input", describe(call.in(1)), describe(call.in(0)));
  Dims dims = {from[0], from[1]};
  dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
  if (product(from) == 0 && product(dims) != 0) return call.error("cannot sample an empty image", describe(call.in(0)));
  if (!call.allocate(dtype, dims)) return failure;
  return dtype == DType::f64 ? sample_grid<double>(call, *settings, dims) : sample_grid<float>(call, *settings, dims);
}

}  // namespace byoc::evaluate
