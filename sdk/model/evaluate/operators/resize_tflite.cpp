// Resize as TFLite's RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR compute it: height and width of x [N, H, W, C],
// positions in float32, or in 1/1024 for int8.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"
#include "sdk/model/evaluate/operators/tflite.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

struct TfliteAxis {
  std::int64_t in, out;
  bool align_corners, half_pixel_centers;
};

// A position between two neighbours: what is above the lower one, in R.
template <class R>
struct Position {
  std::int64_t lower, upper;
  R above;
};

std::int64_t tflite_nearest(const TfliteAxis& a, std::int64_t position) {
  const bool aligns = a.align_corners && a.out > 1;
  const float scale = aligns ? static_cast<float>(a.in - 1) / static_cast<float>(a.out - 1)
                             : static_cast<float>(a.in) / static_cast<float>(a.out);
  const float at = (static_cast<float>(position) + (a.half_pixel_centers ? 0.5F : 0.0F)) * scale;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(a.align_corners ? std::round(at) : std::floor(at)), 0,
                                  a.in - 1);
}

Position<float> between_reals(const TfliteAxis& a, std::int64_t position) {
  float scale = static_cast<float>(a.in) / static_cast<float>(a.out);
  if (a.align_corners && a.out > 1) scale = static_cast<float>(a.in - 1) / static_cast<float>(a.out - 1);
  const auto p = static_cast<float>(position);
  const float at = a.half_pixel_centers ? (p + 0.5F) * scale - 0.5F : p * scale;
  // Upstream does not bound the lower neighbour from above; it is beyond the last only by rounding.
  const auto lower = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(at)), 0, a.in - 1);
  const auto upper = std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(at)), a.in - 1);
  return {lower, upper, at - static_cast<float>(lower)};
}

Position<std::int64_t> between_steps(const TfliteAxis& a, std::int64_t position) {
  std::int64_t scale = (1024 * a.in + a.out / 2) / a.out;
  if (a.align_corners && a.out > 1) scale = (1024 * (a.in - 1) + (a.out - 1) / 2) / (a.out - 1);
  const std::int64_t at = a.half_pixel_centers ? position * scale + scale / 2 - 512 : position * scale;
  const std::int64_t lower = std::clamp<std::int64_t>(at / 1024, 0, a.in - 1);
  const std::int64_t upper = std::min<std::int64_t>((at + 1023) / 1024, a.in - 1);
  return {lower, upper, at - 1024 * lower};
}

// Calls f(place of the row, y, x) for the four corners' places of each output element.
struct ResizedImage {
  std::int64_t batches, depth;
  TfliteAxis height, width;
  [[nodiscard]] std::size_t place(std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) const {
    return static_cast<std::size_t>(((n * height.in + y) * width.in + x) * depth + c);
  }
};

Outcome resize_nearest(const Call& call, const ResizedImage& image, const Dims& dims) {
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover) return failure;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, dims);
  if (!y) return failure;
  std::int64_t next = 0;
  for (std::int64_t n = 0; n < image.batches; ++n)
    for (std::int64_t h = 0; h < image.height.out; ++h)
      for (std::int64_t w = 0; w < image.width.out; ++w, next += image.depth)
        mover->copy(call.in(0),
                    static_cast<std::int64_t>(
                        image.place(n, tflite_nearest(image.height, h), tflite_nearest(image.width, w), 0)),
                    *y, next, image.depth);
  return single(std::move(*y));
}

// Calls f(n, h, w, c) for each output element.
void for_each_element(const ResizedImage& image, auto&& f) {
  for (std::int64_t n = 0; n < image.batches; ++n)
    for (std::int64_t h = 0; h < image.height.out; ++h)
      for (std::int64_t w = 0; w < image.width.out; ++w)
        for (std::int64_t c = 0; c < image.depth; ++c) f(n, h, w, c);
}

Outcome resize_reals(const Call& call, const ResizedImage& image, const Dims& dims) {
  const std::vector<float> x = reals<float>(call.in(0));
  std::vector<float> out;
  for_each_element(image, [&](std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) {
    const Position<float> v = between_reals(image.height, h), u = between_reals(image.width, w);
    out.push_back(x[image.place(n, v.lower, u.lower, c)] * (1 - v.above) * (1 - u.above) +
                  x[image.place(n, v.upper, u.lower, c)] * v.above * (1 - u.above) +
                  x[image.place(n, v.lower, u.upper, c)] * (1 - v.above) * u.above +
                  x[image.place(n, v.upper, u.upper, c)] * v.above * u.above);
  });
  return single(call.from_reals(DType::f32, dims, std::span<const float>(out)));
}

Outcome resize_integers(const Call& call, const ResizedImage& image, const Dims& dims) {
  const std::vector<std::int64_t> x = whole_numbers(call.in(0));
  std::vector<std::int64_t> out;
  for_each_element(image, [&](std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) {
    const Position<std::int64_t> v = between_steps(image.height, h), u = between_steps(image.width, w);
    const std::int64_t sum = x[image.place(n, v.lower, u.lower, c)] * (1024 - v.above) * (1024 - u.above) +
                             x[image.place(n, v.upper, u.lower, c)] * v.above * (1024 - u.above) +
                             x[image.place(n, v.lower, u.upper, c)] * (1024 - v.above) * u.above +
                             x[image.place(n, v.upper, u.upper, c)] * v.above * u.above;
    out.push_back((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));  // truncates
  });
  return single(from_integers(call, DType::i8, dims, out));
}

}  // namespace

Outcome resize_tflite(const Call& call) {
  const Dims& from = *call.in(0).type.dims;
  const ir::Node& node = call.node;
  if (call.find(3) == nullptr) return call.error("needs sizes");
  const auto sizes = call.integers(3);
  if (!sizes) return failure;
  if (from.size() != 4 || sizes->size() != 4 || (*sizes)[0] != from[0] || (*sizes)[3] != from[3])
    return call.error("resizes height and width of [N, H, W, C]", describe(*sizes), describe(from));
  const std::string mode = node.text("mode", "nearest");
  const std::string transform = node.text("coordinate_transformation_mode", "half_pixel");
  const bool aligns = transform == "align_corners", centres = transform == "half_pixel";
  if (!aligns && !centres && transform != "asymmetric")
    return call.error("coordinate_transformation_mode is none of TFLite's", transform);
  const ResizedImage image{
      from[0], from[3], {from[1], (*sizes)[1], aligns, centres}, {from[2], (*sizes)[2], aligns, centres}};
  for (const TfliteAxis& a : {image.height, image.width})
    if (a.in < 1 || a.out < 1 || a.in > 1 << 20 || a.out > 1 << 20)
      return call.error("a size is out of range", describe(*sizes), "1 to 2^20");
  if (mode == "nearest") return resize_nearest(call, image, *sizes);
  if (mode != "linear") return call.error("mode is none of TFLite's", mode, "nearest or linear");
  const DType dtype = call.in(0).type.dtype;
  if (dtype == DType::f32) return resize_reals(call, image, *sizes);
  if (dtype == DType::i8) return resize_integers(call, image, *sizes);
  return call.unsupported_dtype(0, "f32 or i8");
}

}  // namespace byoc::evaluate
