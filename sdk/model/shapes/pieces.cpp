// Operators that put tensors together or take parts of them: Concat, Split, Slice, Gather, Pad.
#include <algorithm>
#include <limits>

#include "sdk/model/ir/slice.hpp"
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> concat(const Inference& call) {
  Dims dims = call.dims(0);
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), dims.size());
  if (!axis) return failure;
  for (std::size_t i = 1; i < call.node.inputs.size(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    if (!call.same_dtype(0, i) || !call.want_rank(i, dims.size(), dims.size())) return failure;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const ir::Dim other = call.dims(i)[d];
      if (d == *axis) {
        if (!is_known(dims[d]) || !is_known(other))
          dims[d] = kUnknown;
        else if (__builtin_add_overflow(dims[d], other, &dims[d]))
          return call.error("the result is too large", call.text(i));
      } else if (is_known(dims[d]) && is_known(other) && dims[d] != other) {
        return call.error("input " + std::to_string(i) + " does not fit the first", call.text(i),
                          call.text(0) + " but for axis " + std::to_string(*axis));
      } else if (is_known(other)) {
        dims[d] = other;
      }
    }
  }
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> split(const Inference& call) {
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), call.rank(0));
  if (!axis) return failure;
  const auto count = static_cast<std::int64_t>(call.node.outputs.size());
  const ir::Dim total = call.dims(0)[*axis];
  std::vector<std::int64_t> lengths(call.node.outputs.size(), kUnknown);
  if (call.find(1) != nullptr) {
    if (!call.one_of(1, {DType::i64, DType::i32})) return failure;
    if (const auto given = call.constant(1)) {
      std::int64_t left = is_known(total) ? total : std::numeric_limits<std::int64_t>::max();
      bool fits = given->size() == lengths.size();
      for (const std::int64_t l : *given) {
        fits = fits && l >= 0 && l <= left;
        left -= fits ? l : 0;
      }
      if (!fits || (is_known(total) && left != 0))
        return call.error("the lengths of the pieces do not fit the axis", std::to_string(given->size()) + " lengths",
                          std::to_string(count) + " pieces of " + call.text(0));
      lengths = *given;
    }
  } else if (is_known(total)) {
    const std::int64_t each = (total + count - 1) / count;
    std::fill(lengths.begin(), lengths.end(), each);
    lengths.back() = total - each * (count - 1);
    if (lengths.back() < 0)
      return call.error("the axis does not split into so many pieces", std::to_string(total),
                        std::to_string(count) + " pieces");
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Dims dims = call.dims(0);
    dims[*axis] = lengths[i];
    if (!call.set(i, call.in(0).dtype, std::move(dims))) return failure;
  }
  return {};
}

Result<void> slice(const Inference& call) {
  for (std::size_t i = 1; i < call.node.inputs.size(); ++i)
    if (call.find(i) != nullptr && (!call.one_of(i, {DType::i64, DType::i32}) || !call.want_rank(i, 1, 1)))
      return failure;
  const auto starts = call.constant(1);
  const auto ends = call.constant(2);
  auto axes = call.find(3) != nullptr ? call.constant(3) : std::optional<std::vector<std::int64_t>>(std::in_place);
  auto steps = call.find(4) != nullptr ? call.constant(4) : std::optional<std::vector<std::int64_t>>(std::in_place);
  if (!starts || !ends || !axes || !steps) return call.set_dtype(0, call.in(0).dtype);
  if (call.find(3) == nullptr)
    for (std::size_t i = 0; i < starts->size(); ++i) axes->push_back(static_cast<std::int64_t>(i));
  if (call.find(4) == nullptr) steps->assign(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() || steps->size() != starts->size())
    return call.error("starts, ends, axes and steps must have one length");
  Dims dims = call.dims(0);
  std::vector<bool> named(dims.size(), false);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const Result<std::size_t> d = call.axis((*axes)[i], dims.size());
    if (!d) return failure;
    if (named[*d]) return call.error("an axis is named twice", std::to_string((*axes)[i]));
    named[*d] = true;
    if ((*steps)[i] == 0) return call.error("a step is 0");
    dims[*d] = is_known(dims[*d]) ? ir::slice_of_dim(dims[*d], (*starts)[i], (*ends)[i], (*steps)[i]).length : kUnknown;
  }
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> gather(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32})) return failure;
  const Dims& from = call.dims(0);
  const Dims& positions = call.dims(1);
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), from.size());
  if (!axis) return failure;
  const std::int64_t batch_dims = call.node.integer("batch_dims", 0);
  if (batch_dims < 0 || batch_dims > static_cast<std::int64_t>(std::min(*axis, positions.size())))
    return call.error("attribute batch_dims is out of range", std::to_string(batch_dims));
  const auto at = static_cast<std::ptrdiff_t>(*axis);
  Dims dims(from.begin(), from.begin() + at);
  dims.insert(dims.end(), positions.begin() + batch_dims, positions.end());
  dims.insert(dims.end(), from.begin() + at + 1, from.end());
  return call.set(0, call.in(0).dtype, std::move(dims));
}

Result<void> pad(const Inference& call) {
  if (!call.one_of(1, {DType::i64, DType::i32}) || !call.want_rank(1, 1, 1)) return failure;
  if (call.find(2) != nullptr && !call.same_dtype(0, 2)) return failure;
  const auto pads = call.constant(1);
  const auto given = call.find(3) != nullptr ? call.constant(3) : std::nullopt;
  if (!pads || (call.find(3) != nullptr && !given)) return call.set_dtype(0, call.in(0).dtype);
  Dims dims = call.dims(0);
  Dims axes;
  if (given)
    axes = *given;
  else
    for (std::size_t i = 0; i < dims.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (pads->size() != 2 * axes.size())
    return call.error("pads has the wrong length", std::to_string(pads->size()), std::to_string(2 * axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Result<std::size_t> d = call.axis(axes[i], dims.size());
    if (!d) return failure;
    const std::int64_t before = (*pads)[i];
    const std::int64_t after = (*pads)[axes.size() + i];
    if (!is_known(dims[*d])) {
      if (before != 0 || after != 0) dims[*d] = kUnknown;
      continue;
    }
    if (__builtin_add_overflow(dims[*d], before, &dims[*d]) || __builtin_add_overflow(dims[*d], after, &dims[*d]) ||
        dims[*d] < 0)
      return call.error("pads give a size that is negative or too large",
                        std::to_string(before) + " and " + std::to_string(after) + " around " + call.text(0));
  }
  return call.set(0, call.in(0).dtype, std::move(dims));
}

}  // namespace byoc::shapes
