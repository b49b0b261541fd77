// Operators that change the shape alone: Flatten, Squeeze, Unsqueeze, Transpose, Expand; and Shape, which reads it.
#include <algorithm>

#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {
namespace {

// The product of some dims, kUnknown if one is open. Error: it overflows.
Result<ir::Dim> product(const Inference& call, Dims::const_iterator from, Dims::const_iterator to) {
  std::int64_t n = 1;
  for (auto d = from; d != to; ++d) {
    if (!is_known(*d)) return to - from == 1 ? *d : kUnknown;
    if (__builtin_mul_overflow(n, *d, &n)) return call.error("the shape is too large", call.text(0));
  }
  return n;
}

Result<std::vector<bool>> named_axes(const Inference& call, const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<bool> named(rank, false);
  for (const std::int64_t a : axes) {
    const Result<std::size_t> d = call.axis(a, rank);
    if (!d) return failure;
    if (named[*d]) return call.error("an axis is named twice", std::to_string(a));
    named[*d] = true;
  }
  return named;
}

}  // namespace

Result<void> flatten(const Inference& call) {
  const Dims& dims = call.dims(0);
  const auto rank = static_cast<std::int64_t>(dims.size());
  std::int64_t axis = call.node.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return call.error("axis out of range", std::to_string(axis), std::to_string(-rank) + " to " + std::to_string(rank));
  if (axis < 0) axis += rank;
  const Result<ir::Dim> rows = product(call, dims.begin(), dims.begin() + axis);
  const Result<ir::Dim> columns = product(call, dims.begin() + axis, dims.end());
  if (!rows || !columns) return failure;
  return call.set(0, call.in(0).dtype, {*rows, *columns});
}

Result<void> squeeze(const Inference& call) {
  const Dims& dims = call.dims(0);
  std::vector<bool> named(dims.size(), false);
  if (call.find(1) != nullptr) {
    if (!call.one_of(1, {DType::i64, DType::i32})) return failure;
    const auto axes = call.constant(1);
    if (!axes) return call.set_dtype(0, call.in(0).dtype);
    const Result<std::vector<bool>> read = named_axes(call, *axes, dims.size());
    if (!read) return failure;
    named = *read;
  } else {
    if (!all_known(dims)) return call.set_dtype(0, call.in(0).dtype);
    for (std::size_t i = 0; i < dims.size(); ++i) named[i] = dims[i] == 1;
  }
  Dims out;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!named[i])
      out.push_back(dims[i]);
    else if (is_known(dims[i]) && dims[i] != 1)
      return call.error("squeezes a dim that is not 1", std::to_string(dims[i]) + " at axis " + std::to_string(i));
  }
  return call.set(0, call.in(0).dtype, std::move(out));
}

Result<void> unsqueeze(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32})) return failure;
  const auto axes = call.constant(1);
  if (!axes) return call.set_dtype(0, call.in(0).dtype);
  const Result<std::vector<bool>> named = named_axes(call, *axes, call.rank(0) + axes->size());
  if (!named) return failure;
  Dims out;
  std::size_t next = 0;
  for (const bool is_new : *named) out.push_back(is_new ? 1 : call.dims(0)[next++]);
  return call.set(0, call.in(0).dtype, std::move(out));
}

Result<void> transpose(const Inference& call) {
  const Dims& dims = call.dims(0);
  Dims reversed(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) reversed[i] = static_cast<std::int64_t>(dims.size() - 1 - i);
  const Dims perm = call.node.integers("perm", reversed);
  Dims sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  std::reverse(reversed.begin(), reversed.end());
  if (sorted != reversed)
    return call.error("perm is not a permutation of the input's dims", std::to_string(perm.size()) + " entries",
                      call.text(0));
  Dims out;
  for (const std::int64_t p : perm) out.push_back(dims[static_cast<std::size_t>(p)]);
  return call.set(0, call.in(0).dtype, std::move(out));
}

Result<void> expand(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32})) return failure;
  const auto shape = call.constant(1);
  if (!shape) return call.set_dtype(0, call.in(0).dtype);
  for (const std::int64_t d : *shape)
    if (d < 0) return call.error("the shape has a negative dim", std::to_string(d), "0 or more");
  const Result<Dims> dims = call.broadcast(call.dims(0), *shape);
  if (!dims) return failure;
  return call.set(0, call.in(0).dtype, *dims);
}

Result<void> shape(const Inference& call) {
  const auto rank = static_cast<std::int64_t>(call.rank(0));
  auto bound = [&](const char* key, std::int64_t otherwise) {
    const std::int64_t at = std::clamp(call.node.integer(key, otherwise), -rank, rank);
    return at < 0 ? at + rank : at;
  };
  const std::int64_t start = bound("start", 0);
  return call.set(0, DType::i64, {std::max<std::int64_t>(bound("end", rank) - start, 0)});
}

}  // namespace byoc::shapes
