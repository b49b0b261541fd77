// Operators along one axis: ArgMax, ArgMin, CumSum and CumProd; Det and Inverse; and trees.
#include "sdk/model/shapes/rules.hpp"

namespace byoc::shapes {

Result<void> arg(const Inference& call) {
  Dims dims = call.dims(0);
  if (call.in(0).dtype == DType::boolean) return call.error("element type bool has no order", call.text(0));
  const std::int64_t axis = call.node.integer("axis", 0);
  if (dims.empty() && (axis == 0 || axis == -1)) return call.set(0, DType::i64, {});
  const Result<std::size_t> at = call.axis(axis, dims.size());
  if (!at) return failure;
  if (call.node.integer("keepdims", 1) != 0)
    dims[*at] = 1;
  else
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*at));
  return call.set(0, DType::i64, std::move(dims));
}

// CumProd, too.
Result<void> cum_sum(const Inference& call) {
  if (!call.one_of(1, {DType::i32, DType::i64}) || !call.want_rank(1, 0, 1)) return failure;
  const auto axis = call.constant(1);
  if (axis && (axis->size() != 1 || !call.axis((*axis)[0], std::max<std::size_t>(call.rank(0), 1))))
    return axis->size() == 1 ? failure : call.error("the axis must have one element", call.text(1));
  return call.set(0, call.in(0).dtype, call.dims(0));
}

// A row of numbers becomes one of targets; the tables of the trees are constants that fit each other.
Result<void> tree_ensemble(const Inference& call) {
  if (!call.one_of(0, {DType::f32, DType::f64}) || !call.want_rank(0, 2, 2)) return failure;
  for (const std::size_t i : {std::size_t{1}, std::size_t{6}})
    if (!call.same_dtype(0, i)) return failure;
  return call.set(0, call.in(0).dtype, {call.dims(0)[0], call.node.integer("n_targets", 1)});
}

namespace {

Result<void> want_squares(const Inference& call) {
  if (!call.one_of(0, {DType::f16, DType::bf16, DType::f32, DType::f64}) ||
      !call.want_rank(0, 2, std::numeric_limits<std::size_t>::max()))
    return failure;
  const Dims& dims = call.dims(0);
  const ir::Dim columns = dims.back(), rows = dims[dims.size() - 2];
  if (is_known(columns) && is_known(rows) && columns != rows)
    return call.error("the last two dims must be those of a square matrix", call.text(0));
  return {};
}

}  // namespace

Result<void> inverse(const Inference& call) {
  if (!want_squares(call)) return failure;
  return call.set(0, call.in(0).dtype, call.dims(0));
}

Result<void> det(const Inference& call) {
  if (!want_squares(call)) return failure;
  Dims dims = call.dims(0);
  dims.resize(dims.size() - 2);
  return call.set(0, call.in(0).dtype, std::move(dims));
}

}  // namespace byoc::shapes
