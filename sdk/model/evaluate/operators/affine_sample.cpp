// byoc.AffineSample: MediaPipe's TransformTensorBilinear. Element (y, x) of the result is what lies between the
// elements of the image around the position that the first two rows of a matrix make of it, whose elements are at their
// middles. Everything in float32, so that both sides of an edge are the same everywhere.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

struct AffineRow {
  float x, y, shift;
};

AffineRow affine_row(std::span<const float> m, std::size_t row) {
  const double x = m[row * 4], y = m[row * 4 + 1];
  const auto shift = static_cast<float>(m[row * 4 + 3] + (x * 0.5 + y * 0.5 - 0.5));
  return {m[row * 4], m[row * 4 + 1], shift};
}

float affine_position(const AffineRow& r, std::int64_t x, std::int64_t y) {
  return r.x * static_cast<float>(x) + r.y * static_cast<float>(y) + r.shift;
}

}  // namespace

Outcome affine_sample(const Call& call) {
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (call.in(i).type.dtype != DType::f32) return call.unsupported_dtype(i, "f32");
  const Dims& from = *call.in(0).type.dims;
  if (from.size() != 4 || from[0] != 1 || call.in(1).type.elements() != 16)
    return call.error("the image or the matrix does not fit", describe(call.in(0)) + " and " + describe(call.in(1)),
                      "[1,height,width,channels] and 16 elements");
  const std::int64_t height = call.node.integer("output_height", 1), width = call.node.integer("output_width", 1);
  Result<Buffer> y = call.allocate(DType::f32, {1, height, width, from[3]});
  if (!y) return failure;
  const std::span<const float> image = elements<float>(call.in(0)), matrix = elements<float>(call.in(1));
  const AffineRow across = affine_row(matrix, 0), down = affine_row(matrix, 1);
  const auto element = [&](std::int64_t row, std::int64_t column, std::int64_t channel) {
    if (row >= from[1] || column >= from[2]) return 0.0F;
    return image[static_cast<std::size_t>((row * from[2] + column) * from[3] + channel)];
  };
  std::size_t next = 0;
  for (std::int64_t row = 0; row < height; ++row)
    for (std::int64_t column = 0; column < width; ++column) {
      const float u = affine_position(across, column, row), v = affine_position(down, column, row);
      const bool inside =
          u >= 0 && u <= static_cast<float>(from[2] - 1) && v >= 0 && v <= static_cast<float>(from[1] - 1);
      for (std::int64_t c = 0; c < from[3]; ++c, ++next) {
        if (!inside) continue;
        const auto left = static_cast<std::int64_t>(std::floor(u)), top = static_cast<std::int64_t>(std::floor(v));
        const float right = u - std::floor(u), lower = v - std::floor(v);
        const float above = (1 - right) * element(top, left, c) + right * element(top, left + 1, c);
        const float below = (1 - right) * element(top + 1, left, c) + right * element(top + 1, left + 1, c);
        y->as<float>()[next] = lower * below + (1 - lower) * above;
      }
    }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
