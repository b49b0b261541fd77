// Operators that read or write where an operand of indices says, and those whose results are as long as their elements
// decide.
#include <algorithm>

#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> gather_elements(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32}) || !call.want_rank(1, call.rank(0), call.rank(0))) return failure;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), call.rank(0));
  if (!axis) return failure;
  for (std::size_t d = 0; d < call.rank(0); ++d) {
    const ir::Dim from = call.dims(0)[d], to = call.dims(1)[d];
    if (d != *axis && is_known(from) && is_known(to) && to > from)
      return call.error("the indices do not fit the data", call.text(1), call.text(0));
  }
  return call.set(0, call.in(0).dtype, call.dims(1));
}

namespace {

// Dims of what tuples of indices pick behind `batch` shared dims; nullopt while the length of a tuple is open.
Result<std::optional<Dims>> picked(const Inference& call, std::int64_t batch) {
  if (!call.one_of(1, {DType::i64, DType::i32}) || !call.want_rank(1, 1, kAny) || !call.want_rank(0, 1, kAny))
    return failure;
  const auto rank = static_cast<std::int64_t>(call.rank(0)), index_rank = static_cast<std::int64_t>(call.rank(1));
  const ir::Dim width = call.dims(1).back();
  if (batch < 0 || batch >= index_rank || batch >= rank)
    return call.error("batch_dims out of range", std::to_string(batch), call.text(1));
  for (std::size_t d = 0; d < static_cast<std::size_t>(batch); ++d)
    if (is_known(call.dims(0)[d]) && is_known(call.dims(1)[d]) && call.dims(0)[d] != call.dims(1)[d])
      return call.error("the batches of data and indices differ", call.text(1), call.text(0));
  if (!is_known(width)) return std::optional<Dims>();
  if (width < 1 || width > rank - batch)
    return call.error("the tuples of indices do not fit the data", call.text(1), call.text(0));
  Dims dims(call.dims(1).begin(), call.dims(1).end() - 1);
  dims.insert(dims.end(), call.dims(0).begin() + static_cast<std::ptrdiff_t>(batch + width), call.dims(0).end());
  return std::optional<Dims>(std::move(dims));
}

}  // namespace

Result<void> gather_nd(const Inference& call) {
  const auto dims = picked(call, call.node.integer("batch_dims", 0));
  if (!dims) return failure;
  if (!*dims) return call.set_dtype(0, call.in(0).dtype);
  return call.set(0, call.in(0).dtype, **dims);
}

Result<void> scatter_elements(const Inference& call) {
  if (!call.same_dtype(0, 2) || !call.one_of(1, {DType::i64, DType::i32}) ||
      !call.want_rank(1, call.rank(0), call.rank(0)) || !call.want_rank(2, call.rank(0), call.rank(0)) ||
      !call.axis(call.node.integer("axis", 0), call.rank(0)))
    return failure;
  for (std::size_t d = 0; d < call.rank(1); ++d)
    if (is_known(call.dims(1)[d]) && is_known(call.dims(2)[d]) && call.dims(1)[d] != call.dims(2)[d])
      return call.error("indices and updates differ in shape", call.text(2), call.text(1));
  return call.set(0, call.in(0).dtype, call.dims(0));
}

Result<void> scatter_nd(const Inference& call) {
  const auto dims = picked(call, 0);
  if (!dims || !call.same_dtype(0, 2)) return failure;
  if (*dims && !call.want_rank(2, (*dims)->size(), (*dims)->size())) return failure;
  return call.set(0, call.in(0).dtype, call.dims(0));
}

Result<void> dynamic_update_slice(const Inference& call) {
  if (!call.same_dtype(0, 1) || !call.one_of(2, {DType::i64, DType::i32}) || !call.want_rank(2, 1, 1) ||
      !call.want_rank(1, call.rank(0), call.rank(0)))
    return failure;
  const Dims &dims = call.dims(0), &block = call.dims(1);
  const ir::Dim starts = call.dims(2)[0];
  bool fits = !is_known(starts) || starts == static_cast<ir::Dim>(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d)
    fits = fits && (!is_known(dims[d]) || !is_known(block[d]) || block[d] <= dims[d]);
  if (!fits)
    return call.error("the update or its place does not fit the input", call.text(1) + " at " + call.text(2),
                      "inside " + call.text(0));
  return call.set(0, call.in(0).dtype, dims);
}

Result<void> non_zero(const Inference& call) {
  Dims dims = {static_cast<ir::Dim>(std::max<std::size_t>(call.rank(0), 1)), kUnknown};
  if (call.node.integer("rows", 0) != 0) std::swap(dims[0], dims[1]);
  return call.set(0, DType::i64, std::move(dims));
}

Result<void> compress(const Inference& call) {
  if (!call.one_of(1, {DType::boolean}) || !call.want_rank(1, 1, 1)) return failure;
  Dims dims = {kUnknown}, axis_dims = call.dims(0);  // those that the condition runs along
  std::size_t axis = 0;
  if (const auto* given = call.node.find<std::int64_t>("axis")) {
    const Result<std::size_t> a = call.axis(*given, call.rank(0));
    if (!a) return failure;
    axis = *a;
    dims = call.dims(0);
    axis_dims = {dims[axis]};
  }
  dims[axis] = kUnknown;
  if (call.graph.is_constant(call.node.inputs[1])) {
    // Conditions beyond the end count for nothing.
    const auto condition = call.graph.values[call.node.inputs[1]].constant->bytes.bytes();
    std::optional<ir::Dim> length = 1;
    for (const ir::Dim d : axis_dims) length = length && is_known(d) ? std::optional(*length * d) : std::nullopt;
    const auto wanted =
        condition.first(length ? std::min(condition.size(), static_cast<std::size_t>(*length)) : condition.size());
    dims[axis] = std::count_if(wanted.begin(), wanted.end(), [](std::byte b) { return b != std::byte{0}; });
  }
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> unique(const Inference& call) {
  Dims dims = {kUnknown};
  ir::Dim total = 1;
  if (const auto* given = call.node.find<std::int64_t>("axis")) {
    const Result<std::size_t> a = call.axis(*given, call.rank(0));
    if (!a) return failure;
    dims = call.dims(0);
    total = dims[*a];
    dims[*a] = kUnknown;
  } else {
    for (const ir::Dim d : call.dims(0))
      if (!is_known(d) || total == kUnknown)
        total = kUnknown;
      else if (__builtin_mul_overflow(total, d, &total))
        return call.error("the input is too large", call.text(0));
  }
  if (!call.set(0, call.in(0).dtype, std::move(dims)) || !call.set(1, DType::i64, {kUnknown}) ||
      !call.set(2, DType::i64, {is_known(total) ? total : kUnknown}))
    return failure;
  return call.set(3, DType::i64, {kUnknown});
}

Result<void> non_max_suppression(const Inference& call) {
  if (!call.one_of(0, {DType::f32}) || !call.one_of(1, {DType::f32}) || !call.want_rank(0, 3, 3) ||
      !call.want_rank(1, 3, 3))
    return failure;
  const Dims &boxes = call.dims(0), &scores = call.dims(1);
  if (differ(boxes[0], scores[0]) || differ(boxes[1], scores[2]) || differ(boxes[2], 4))
    return call.error("boxes and scores do not fit", call.text(0) + " and " + call.text(1),
                      "[batch,boxes,4] and [batch,classes,boxes]");
  return call.set(0, DType::i64, {kUnknown, 3});
}

}  // namespace byoc::shapes
