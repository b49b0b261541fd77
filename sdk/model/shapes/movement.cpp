// Operators that repeat, rearrange or cut elements: Tile, DepthToSpace, SpaceToDepth, OneHot, Trilu, ReverseSequence,
// CenterCropPad, TopK; and Size.
#include <algorithm>
#include <cmath>

#include "sdk/model/shapes/constants.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> tile(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32}) || !call.want_rank(1, 1, 1)) return failure;
  Dims dims = call.dims(0);
  if (const ir::Dim count = call.dims(1)[0]; differ(count, std::ssize(dims)))
    return call.error("needs one repeat for each dim", std::to_string(count), call.text(0));
  const auto repeats = call.constant(1);
  if (!repeats) return call.set_dtype(0, call.in(0).dtype);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::int64_t n = (*repeats)[d];
    if (n < 0) return call.error("a repeat is negative", std::to_string(n));
    if (!is_known(dims[d]))
      dims[d] = n == 0 ? 0 : n == 1 ? dims[d] : kUnknown;
    else if (__builtin_mul_overflow(dims[d], n, &dims[d]))
      return call.error("the result is too large", call.text(0));
  }
  return call.set(0, call.in(0).dtype, std::move(dims));
}

namespace {

Result<std::int64_t> block_size(const Inference& call) {
  const std::int64_t b = call.node.integer("blocksize", 0);
  if (b < 1 || b > (1 << 20)) return call.error("blocksize out of range", std::to_string(b), "1 or more");
  if (!call.want_rank(0, 4, 4)) return failure;
  return b;
}

}  // namespace

Result<void> depth_to_space(const Inference& call) {
  const Result<std::int64_t> b = block_size(call);
  if (!b) return failure;
  const std::string mode = call.node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return call.error("unknown mode", mode, "DCR or CRD");
  Dims dims = call.dims(0);
  if (is_known(dims[1]) && dims[1] % (*b * *b) != 0)
    return call.error("the channels do not divide by blocksize squared", call.text(0), std::to_string(*b));
  dims[1] = is_known(dims[1]) ? dims[1] / (*b * *b) : kUnknown;
  for (std::size_t d = 2; d < 4; ++d)
    if (!is_known(dims[d]))
      dims[d] = kUnknown;
    else if (__builtin_mul_overflow(dims[d], *b, &dims[d]))
      return call.error("the result is too large", call.text(0));
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> space_to_depth(const Inference& call) {
  const Result<std::int64_t> b = block_size(call);
  if (!b) return failure;
  Dims dims = call.dims(0);
  std::int64_t area = *b * *b;
  for (std::size_t d = 2; d < 4; ++d) {
    if (is_known(dims[d]) && dims[d] % *b != 0)
      return call.error("height and width do not divide by blocksize", call.text(0), std::to_string(*b));
    dims[d] = is_known(dims[d]) ? dims[d] / *b : kUnknown;
  }
  if (!is_known(dims[1]))
    dims[1] = kUnknown;
  else if (__builtin_mul_overflow(dims[1], area, &dims[1]))
    return call.error("the result is too large", call.text(0));
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> one_hot(const Inference& call) {
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", -1), call.rank(0) + 1);
  if (!axis || !call.want_rank(2, 1, 1)) return failure;
  ir::Dim depth = kUnknown;
  if (const auto given = constant_numbers(call, 1)) {
    if (given->size() != 1 || !((*given)[0] >= 0 && (*given)[0] < 9e15))
      return call.error("depth must be one number that is not negative", call.text(1));
    depth = static_cast<ir::Dim>((*given)[0]);
  }
  Dims dims = call.dims(0);
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), depth);
  return call.set(0, call.in(2).dtype, std::move(dims));
}

Result<void> trilu(const Inference& call) {
  if (!call.want_rank(0, 2, kAny) || (call.find(1) != nullptr && !call.one_of(1, {DType::i64, DType::i32})))
    return failure;
  return call.set(0, call.in(0).dtype, call.dims(0));
}

Result<void> reverse_sequence(const Inference& call) {
  if (!call.want_rank(0, 2, kAny) || !call.one_of(1, {DType::i64, DType::i32}) || !call.want_rank(1, 1, 1))
    return failure;
  const std::int64_t batch = call.node.integer("batch_axis", 1), time = call.node.integer("time_axis", 0);
  if (batch < 0 || batch > 1 || time != 1 - batch)
    return call.error("batch_axis and time_axis must be 0 and 1",
                      std::to_string(batch) + " and " + std::to_string(time));
  const ir::Dim batches = call.dims(0)[static_cast<std::size_t>(batch)], lengths = call.dims(1)[0];
  if (is_known(batches) && is_known(lengths) && batches != lengths)
    return call.error("needs one length for each batch", call.text(1), call.text(0));
  return call.set(0, call.in(0).dtype, call.dims(0));
}

Result<void> center_crop_pad(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32}) || !call.want_rank(1, 1, 1)) return failure;
  const auto shape = call.constant(1);
  if (!shape) return call.set_dtype(0, call.in(0).dtype);
  Dims dims = call.dims(0), axes(dims.size());
  for (std::size_t d = 0; d < axes.size(); ++d) axes[d] = static_cast<std::int64_t>(d);
  axes = call.node.integers("axes", axes);
  if (axes.size() != shape->size())
    return call.error("needs one length for each axis", std::to_string(shape->size()), std::to_string(axes.size()));
  std::vector<bool> named(dims.size(), false);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Result<std::size_t> d = call.axis(axes[i], dims.size());
    if (!d) return failure;
    if (named[*d]) return call.error("an axis is named twice", std::to_string(axes[i]));
    if ((*shape)[i] < 0) return call.error("a length is negative", std::to_string((*shape)[i]));
    named[*d] = true;
    dims[*d] = (*shape)[i];
  }
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> size(const Inference& call) { return call.set(0, DType::i64, {}); }

Result<void> top_k(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32})) return failure;
  Dims dims = call.dims(0);
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", -1), dims.size());
  if (!axis) return failure;
  ir::Dim& length = dims[*axis];
  if (const auto k = call.constant(1)) {
    if (k->size() != 1 || (*k)[0] < 0 || (is_known(length) && (*k)[0] > length))
      return call.error("k does not fit the axis", k->empty() ? "none" : std::to_string((*k)[0]), call.text(0));
    length = (*k)[0];
  } else {
    length = kUnknown;
  }
  if (!call.set(0, call.in(0).dtype, dims)) return failure;
  return call.set(1, DType::i64, std::move(dims));
}

}  // namespace byoc::shapes
