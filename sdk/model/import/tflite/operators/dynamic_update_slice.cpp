#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1 replaces a block of input 0 that begins where input 2 says.
Result<void> import_dynamic_update_slice(OperatorImport& op) {
  if (!op.optional_options<schema::DynamicUpdateSliceOptions>()) return failure;
  const ir::ValueId x = op.input(0), update = op.input(1), starts = op.input(2), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_moved(update, y) || !op.expect_dtype(starts, {DType::i32, DType::i64}) ||
      !op.expect_dims(y, op.dims(x)) || !op.expect_rank(update, op.rank(x)) ||
      !op.expect_dims(starts, {static_cast<ir::Dim>(op.rank(x))}))
    return failure;
  for (std::size_t d = 0; d < op.rank(x); ++d)
    if (op.dims(update)[d] > op.dims(x)[d])
      return op.refuse("the update is larger than what it updates", std::to_string(op.dims(update)[d]),
                       "at most " + std::to_string(op.dims(x)[d]));
  op.byoc_node("DynamicUpdateSlice", {x, update, starts});
  return {};
}

}  // namespace byoc::tflite
