// CenterCropPad: each axis cut or padded with zeros to a length, evenly at both ends; an odd element goes to the end.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

Outcome center_crop_pad(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& from = *x.type.dims;
  const Result<Mover> mover = Mover::make(call, 0);
  const auto shape = call.integers(1);
  if (!mover || !shape || !check_moved_quantisation(call, 0)) return failure;
  Dims all(from.size());
  for (std::size_t d = 0; d < all.size(); ++d) all[d] = static_cast<std::int64_t>(d);
  const Dims axes = call.node.integers("axes", all);
  if (axes.size() != shape->size())
    return call.error("needs one length for each axis", describe(*shape), describe(axes));
  Dims dims = from;
  std::vector<bool> named(dims.size(), false);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Result<std::size_t> d = call.axis(axes[i], dims.size());
    if (!d) return failure;
    if (named[*d] || (*shape)[i] < 0)
      return call.error("an axis is named twice or its length is negative", describe(*shape), describe(axes));
    named[*d] = true;
    dims[*d] = (*shape)[i];
  }
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  std::int64_t zero = 0;
  if (is_quantised(call)) {
    const Result<Affine> out = affine_output(call);
    if (!out) return failure;
    zero = out->zero_point;
  }
  const Dims read = row_major_strides(from), write = row_major_strides(dims);
  for (std::int64_t i = 0; i < y->type.elements(); ++i) {
    std::int64_t at = 0;
    bool inside = true;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const std::int64_t shift = dims[d] < from[d] ? (from[d] - dims[d]) / 2 : -((dims[d] - from[d]) / 2);
      const std::int64_t s = i / write[d] % dims[d] + shift;
      inside = inside && s >= 0 && s < from[d];
      at += s * read[d];
    }
    if (inside)
      mover->copy(x, at, *y, i);
    else
      mover->set(*y, i, reinterpret_cast<const std::byte*>(&zero));
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
