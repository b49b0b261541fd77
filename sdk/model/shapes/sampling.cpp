// Operators that sample or pool at computed positions: GridSample, AffineGrid, AffineSample, RoiAlign, MaxRoiPool,
// MaxUnpool, Col2Im; and TfIdfVectorizer.
#include <algorithm>

#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> grid_sample(const Inference& call) {
  if (!call.want_rank(0, 4, 5) || !call.want_rank(1, call.rank(0), call.rank(0))) return failure;
  const Dims& grid = call.dims(1);
  const auto spatial = static_cast<ir::Dim>(call.rank(0) - 2);
  const ir::Dim batch = is_known(call.dims(0)[0]) ? call.dims(0)[0] : grid[0];
  if ((is_known(grid.back()) && grid.back() != spatial) || (is_known(grid[0]) && is_known(batch) && grid[0] != batch))
    return call.error("the grid does not fit the input", call.text(1), call.text(0));
  Dims dims = {batch, call.dims(0)[1]};
  dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> affine_grid(const Inference& call) {
  if (!call.want_rank(0, 3, 3) || !call.one_of(1, {DType::i64, DType::i32}) || !call.want_rank(1, 1, 1)) return failure;
  const Dims& theta = call.dims(0);
  const ir::Dim lengths = call.dims(1)[0], spatial = lengths - 2;
  const auto misfit = [&] {
    return call.error("theta does not fit the size", call.text(0), std::to_string(lengths) + " dims");
  };
  if (is_known(lengths) &&
      ((spatial != 2 && spatial != 3) || differ(theta[1], spatial) || differ(theta[2], spatial + 1)))
    return misfit();
  const auto size = call.constant(1);
  if (!size) return call.set_dtype(0, call.in(0).dtype);
  if (*std::min_element(size->begin(), size->end()) < 0 || *std::min_element(size->begin() + 2, size->end()) < 1 ||
      differ(theta[0], (*size)[0]))
    return misfit();
  Dims dims = {(*size)[0]};
  dims.insert(dims.end(), size->begin() + 2, size->end());
  dims.push_back(spatial);
  return call.set(0, call.in(0).dtype, std::move(dims));
}

// x [1, height, width, channels], a matrix of 16 elements
Result<void> affine_sample(const Inference& call) {
  if (!call.one_of(0, {DType::f32}) || !call.one_of(1, {DType::f32}) || !call.want_rank(0, 4, 4)) return failure;
  if (differ(call.dims(0)[0], 1) || (all_known(call.dims(1)) && call.in(1).elements() != 16))
    return call.error("the image or the matrix does not fit", call.text(0) + " and " + call.text(1),
                      "f32[1,height,width,channels] and 16 elements");
  const std::int64_t height = call.node.integer("output_height", 1), width = call.node.integer("output_width", 1);
  if (height < 1 || width < 1)
    return call.error("output_height or output_width is not positive",
                      std::to_string(height) + " and " + std::to_string(width));
  return call.set(0, DType::f32, {1, height, width, call.dims(0)[3]});
}

namespace {

// A region is a row of input 1.
Result<void> want_regions(const Inference& call, ir::Dim columns) {
  if (differ(call.dims(1)[1], columns))
    return call.error("a region has another number of values", call.text(1), std::to_string(columns) + " in a row");
  return {};
}

}  // namespace

Result<void> roi_align(const Inference& call) {
  if (!call.want_rank(0, 4, 4) || !call.want_rank(1, 2, 2) || !call.want_rank(2, 1, 1) || !call.same_dtype(0, 1) ||
      !call.one_of(2, {DType::i64, DType::i32}) || !want_regions(call, 4))
    return failure;
  const ir::Dim regions = call.dims(1)[0];
  if (differ(regions, call.dims(2)[0]))
    return call.error("each region has one batch index", call.text(2), std::to_string(regions));
  const std::int64_t height = call.node.integer("output_height", 1), width = call.node.integer("output_width", 1);
  if (height < 1 || width < 1)
    return call.error("output_height or output_width is not positive",
                      std::to_string(height) + " and " + std::to_string(width));
  return call.set(0, call.in(0).dtype, {call.dims(1)[0], call.dims(0)[1], height, width});
}

Result<void> max_roi_pool(const Inference& call) {
  if (!call.want_rank(0, 4, 4) || !call.want_rank(1, 2, 2) || !call.same_dtype(0, 1) || !want_regions(call, 5))
    return failure;
  const auto pooled = call.node.integers("pooled_shape", {});
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1)
    return call.error("pooled_shape must be two lengths", std::to_string(pooled.size()) + " entries");
  return call.set(0, call.in(0).dtype, {call.dims(1)[0], call.dims(0)[1], pooled[0], pooled[1]});
}

Result<void> max_unpool(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32}) || !call.want_rank(0, 3, kAny)) return failure;
  if (call.find(2) != nullptr) {
    const auto given = call.constant(2);
    if (!given) return call.set_dtype(0, call.in(0).dtype);
    if (given->size() != call.rank(0) || differ(call.dims(0)[0], (*given)[0]) || differ(call.dims(0)[1], (*given)[1]))
      return call.error("output_shape is of another batch or other channels", call.text(*given), call.text(0));
    return call.set(0, call.in(0).dtype, *given);
  }
  Dims dims = call.dims(0);
  const auto kernel = call.node.integers("kernel_shape", {});
  const auto strides = call.node.integers("strides", Dims(kernel.size(), 1));
  const auto pads = call.node.integers("pads", Dims(2 * kernel.size(), 0));
  if (kernel.empty() || dims.size() != kernel.size() + 2 || strides.size() != kernel.size() ||
      pads.size() != 2 * kernel.size())
    return call.error("kernel_shape, strides and pads do not fit the input", call.text(0));
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    ir::Dim& n = dims[d + 2];
    if (!is_known(n)) {
      n = kUnknown;
    } else if (__builtin_sub_overflow(n, std::int64_t{1}, &n) || __builtin_mul_overflow(n, strides[d], &n) ||
               __builtin_add_overflow(n, kernel[d], &n) || __builtin_sub_overflow(n, pads[d], &n) ||
               __builtin_sub_overflow(n, pads[d + kernel.size()], &n) || n < 0) {
      return call.error("kernel_shape, strides and pads give no shape", call.text(0));
    }
  }
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> col2im(const Inference& call) {
  if (!call.want_rank(0, 3, 3) || !call.one_of(1, {DType::i64, DType::i32}) ||
      !call.one_of(2, {DType::i64, DType::i32}))
    return failure;
  const auto image = call.constant(1), block = call.constant(2);
  if (!image || !block) return call.set_dtype(0, call.in(0).dtype);
  ir::Dim size = 1;
  bool fits = true;
  for (const std::int64_t b : *block) fits = fits && b > 0 && !__builtin_mul_overflow(size, b, &size);
  const ir::Dim rows = call.dims(0)[1];
  if (!fits || (is_known(rows) && rows % size != 0))
    return call.error("the columns do not fit block_shape", call.text(0));
  Dims dims = {call.dims(0)[0], is_known(rows) ? rows / size : kUnknown};
  for (const std::int64_t i : *image) {
    if (i < 0) return call.error("image_shape has a negative length", std::to_string(i));
    dims.push_back(i);
  }
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> tfidf_vectorizer(const Inference& call) {
  if (!call.one_of(0, {DType::i64, DType::i32, DType::string}) || !call.want_rank(0, 1, 2)) return failure;
  const auto indexes = call.node.integers("ngram_indexes", {});
  std::int64_t last = -1;
  for (const std::int64_t i : indexes) last = std::max(last, i);
  if (last < 0 || last > 0x7fffffff) return call.error("ngram_indexes gives no length", std::to_string(last));
  Dims dims = call.dims(0);
  dims.back() = last + 1;
  return call.set(0, DType::f32, std::move(dims));
}

}  // namespace byoc::shapes
