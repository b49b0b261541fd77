#include "sdk/model/import/tflite/reshape.hpp"

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

}  // namespace

// The new shape is input 1, or in old models the option new_shape; where it is known it agrees with the output's.
Result<void> import_reshape(OperatorImport& op) {
  auto options = op.optional_options<schema::ReshapeOptions>();
  if (!options) return failure;
  const auto stated = op.resized_like(op.output(), op.input(0));
  if (!stated) return failure;
  std::vector<std::int64_t> shape = *stated;
  if (op.input(1) != ir::kNoValue && !op.value(op.input(1)).constant) {
    if (!op.expect_dtype(op.input(1), {DType::i32, DType::i64})) return failure;  // computed: the output tells it
  } else if (op.input(1) != ir::kNoValue) {
    auto given = op.integers(op.input(1), "the new shape");
    if (!given) return failure;
    shape = std::move(*given);
  } else if (*options != nullptr && length((*options)->new_shape()) != 0) {
    shape.assign((*options)->new_shape()->begin(), (*options)->new_shape()->end());
    if (shape == std::vector<std::int64_t>{0}) shape.clear();  // how old writers say a scalar
  }
  if (op.resizes() && !op.expect_dims(op.output(), filled(shape, op.type(op.input(0)).elements()))) return failure;
  if (!matches(shape, op.dims(op.output())))
    return op.refuse("the new shape is not that of " + op.describe(op.output()));
  return import_to_reshape(op);
}

}  // namespace byoc::tflite
