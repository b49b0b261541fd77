// AffineGrid: for every point of a normalised image or volume, theta times (x, y[, z], 1).
#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

// The coordinate of point i of n in [-1, 1]. A single point with aligned corners is in the middle.
template <class R>
R coordinate(std::int64_t i, std::int64_t n, bool align_corners) {
  if (align_corners) return n == 1 ? R{0} : R{-1} + R{2} * static_cast<R>(i) / static_cast<R>(n - 1);
  return (R{2} * static_cast<R>(i) + R{1}) / static_cast<R>(n) - R{1};
}

template <class R>
Outcome transform_grid(const Call& call, const Dims& dims, bool align) {
  const std::vector<R> m = reals<R>(call.in(0));
  const std::int64_t r = dims.back();
  const std::int64_t depth = r == 3 ? dims[1] : 1, height = dims[dims.size() - 3], width = dims[dims.size() - 2];
  std::vector<R> y;
  for (std::int64_t n = 0; n < dims[0]; ++n)
    for (std::int64_t d = 0; d < depth; ++d)
      for (std::int64_t h = 0; h < height; ++h)
        for (std::int64_t w = 0; w < width; ++w)
          for (std::int64_t row = 0; row < r; ++row) {
            const auto at = [&](std::int64_t k) { return m[static_cast<std::size_t>((n * r + row) * (r + 1) + k)]; };
            R sum = at(0) * coordinate<R>(w, width, align) + at(1) * coordinate<R>(h, height, align);
            if (r == 3) sum += at(2) * coordinate<R>(d, depth, align);
            y.push_back(sum + at(r));
          }
  return single(call.from_reals(call.in(0).type.dtype, dims, std::span<const R>(y)));
}

}  // namespace

Outcome affine_grid(const Call& call) {
  const Tensor& theta = call.in(0);
  const Dims& t = *theta.type.dims;
  const DType dtype = theta.type.dtype;
  const auto size = call.integers(1);
  if (!size) return failure;
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float");
  const std::size_t rank = size->size() < 2 ? 0 : size->size() - 2;
  const auto r = static_cast<std::int64_t>(rank);
  if ((rank != 2 && rank != 3) || t.size() != 3 || t[0] != (*size)[0] || t[1] != r || t[2] != r + 1)
    return call.error("theta does not fit the size", describe(theta), describe(*size));
  for (std::size_t d = 2; d < size->size(); ++d)
    if ((*size)[d] < 1) return call.error("the grid has no points", describe(*size), "at least 1 along each axis");
  const bool align = call.node.integer("align_corners", 0) != 0;
  Dims dims = {(*size)[0]};
  dims.insert(dims.end(), size->begin() + 2, size->end());
  dims.push_back(r);
  Result<Buffer> checked = call.allocate(dtype, dims);
  if (!checked) return failure;
  return dtype == DType::f64 ? transform_grid<double>(call, dims, align) : transform_grid<float>(call, dims, align);
}

}  // namespace byoc::evaluate
