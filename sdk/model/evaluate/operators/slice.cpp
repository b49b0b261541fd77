// Slice: starts, ends, axes and steps; bounds count from the end when negative and are clamped.
#include "sdk/model/ir/slice.hpp"
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {
Outcome slice(const Call& call) {
  const Tensor& x = call.in(0);
  Dims dims = *x.type.dims;
  const auto starts = call.integers(1);
  const auto ends = call.integers(2);
  if (!starts || !ends) return failure;
  std::vector<std::int64_t> axes(starts->size()), steps(starts->size(), 1);
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
  for (const std::size_t i : {std::size_t{3}, std::size_t{4}}) {
    if (call.find(i) == nullptr) continue;
    const auto values = call.integers(i);
    if (!values) return failure;
    (i == 3 ? axes : steps) = *values;
  }
  if (ends->size() != starts->size() || axes.size() != starts->size() || steps.size() != starts->size())
    return call.error("starts, ends, axes and steps must have one length");
  Dims strides = row_major_strides(dims);
  std::vector<bool> named(dims.size(), false);
  std::int64_t base = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Result<std::size_t> d = call.axis(axes[i], dims.size());
    if (!d) return failure;
    if (named[*d]) return call.error("an axis is named twice", std::to_string(axes[i]));
    named[*d] = true;
    if (steps[i] == 0) return call.error("a step is 0");
    const ir::SliceOfDim c = ir::slice_of_dim(dims[*d], (*starts)[i], (*ends)[i], steps[i]);
    base += c.start * strides[*d];
    strides[*d] *= c.step;
    dims[*d] = c.length;
  }
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  std::int64_t next = 0;
  walk<1>(dims, {strides}, [&](const std::array<std::int64_t, 1>& at) { mover->copy(x, base + at[0], *y, next++); });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
