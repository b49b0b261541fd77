#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// The indices of the elements of x that are not 0, one row for each.
Result<void> import_where(OperatorImport& op) {
  if (!op.optional_options<schema::WhereOptions>()) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::boolean, DType::f32, DType::i64, DType::i32, DType::i8, DType::u8, DType::u32}) ||
      !op.expect_dtype(y, {DType::i64}))
    return failure;
  if (op.type(x).quantisation)
    return op.refuse("kernels for plain numbers take no quantisation: " + op.describe(x),
                     std::string(to_string(op.type(x).dtype)) + " with a scale", "none");
  if (op.rank(x) == 0) return op.refuse("there is no dimension to count along", "a scalar", "1 dimension or more");
  op.open_dims(y);
  op.node("NonZero", {x}).attributes["rows"] = std::int64_t{1};
  return {};
}

}  // namespace byoc::tflite
