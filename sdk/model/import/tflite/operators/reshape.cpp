#include "sdk/model/import/tflite/reshape.hpp"

#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {
namespace {

// True if `shape`, with at most one -1, can be the shape `dims`.
bool matches(const std::vector<std::int64_t>& shape, const std::vector<ir::Dim>& dims) {
  if (shape.size() != dims.size()) return false;
  int open = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1)
      ++open;
    else if (shape[i] != dims[i])
      return false;
  }
  return open <= 1;
}

// The shape with its -1 replaced, so that it has `elements` elements.
std::vector<ir::Dim> filled(std::vector<std::int64_t> shape, std::uint64_t elements) {
  std::int64_t rest = 1;
  for (const std::int64_t d : shape)
    if (d > 0 && __builtin_mul_overflow(rest, d, &rest)) return shape;
  for (std::int64_t& d : shape)
    if (d == -1) d = static_cast<std::int64_t>(elements) / rest;
  return shape;
}

// A shape that only a run tells: it is checked against the stated one.
Result<void> import_checked(OperatorImport& op) {
  const ir::ValueId x = op.input(0), shape = op.input(1), y = op.output();
  if (!op.expect_no_placeholder(shape, y)) return failure;
  const auto stated = op.resized_like(y, x);
  if (!stated || !op.expect_dtype(shape, {DType::i32, DType::i64}) || !op.expect_rank(shape, 1)) return failure;
  if (op.resizes() && !op.expect_dims(y, *stated)) return failure;
  if (!op.expect_dims(shape, {static_cast<ir::Dim>(op.rank(y))})) return failure;
  return import_to_reshape(op, expect_shape_at_run_time(op, x, shape, *stated));
}

}  // namespace

// The new shape is input 1, or in old models the option new_shape; where it is known it agrees with the output's.
Result<void> import_reshape(OperatorImport& op) {
  auto options = op.optional_options<schema::ReshapeOptions>();
  if (!options) return failure;
  const ir::ValueId operand = op.input(1);
  const bool computed = operand != ir::kNoValue && !op.value(operand).constant;
  std::vector<std::int64_t> shape;
  if (computed && !op.is_known(operand)) return import_checked(op);
  if (operand != ir::kNoValue) {
    auto given = op.integers(operand, "the new shape");
    if (!given) return failure;
    shape = std::move(*given);
  } else if (*options != nullptr && length((*options)->new_shape()) != 0) {
    shape.assign((*options)->new_shape()->begin(), (*options)->new_shape()->end());
    if (shape == std::vector<std::int64_t>{0}) shape.clear();  // how old writers say a scalar
  } else {
    const auto stated = op.resized_like(op.output(), op.input(0));
    if (!stated) return failure;
    shape = *stated;
  }
  // A computed shape counts, whatever the model states.
  if ((computed || op.resizes()) && !op.expect_dims(op.output(), filled(shape, op.type(op.input(0)).elements())))
    return failure;
  if (!matches(shape, op.dims(op.output())))
    return op.refuse("the new shape is not that of " + op.describe(op.output()));
  return import_to_reshape(op, op.input(0));
}

}  // namespace byoc::tflite
