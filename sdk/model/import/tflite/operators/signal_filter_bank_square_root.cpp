#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x u64 [n], shift i32 -> y u32 [n]
Result<void> import_signal_filter_bank_square_root(OperatorImport& op) {
  const ir::ValueId x = op.input(0), shift = op.input(1), y = op.output();
  if (!op.expect_dtype(x, {DType::u64}) || !op.expect_rank(x, 1) || !op.expect_dtype(shift, {DType::i32}) ||
      !op.expect_dims(shift, {}) || !op.expect_dtype(y, {DType::u32}) || !op.expect_dims(y, op.dims(x)))
    return failure;
  op.byoc_node("SignalFilterBankSquareRoot", {x, shift});
  return {};
}

}  // namespace byoc::tflite
