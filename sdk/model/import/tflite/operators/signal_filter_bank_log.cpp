#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x u32 [n] -> y i16 [n]
Result<void> import_signal_filter_bank_log(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::u32}) || !op.expect_rank(x, 1) || !op.expect_dtype(y, {DType::i16}) ||
      !op.expect_dims(y, op.dims(x)))
    return failure;
  ir::Node& node = op.byoc_node("SignalFilterBankLog", {x});
  if (!op.keep_option(node, "input_correction_bits", 0, 31)) return failure;
  return op.keep_option(node, "output_scale", INT32_MIN, INT32_MAX);
}

}  // namespace byoc::tflite
