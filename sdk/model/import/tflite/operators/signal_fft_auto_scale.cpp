#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x i16 [n] -> y i16 [n], shift i32
Result<void> import_signal_fft_auto_scale(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output(0), shift = op.output(1);
  if (!op.expect_dtype(x, {DType::i16}) || !op.expect_rank(x, 1) || !op.expect_dtype(y, {DType::i16}) ||
      !op.expect_dims(y, op.dims(x)) || !op.expect_dtype(shift, {DType::i32}) || !op.expect_dims(shift, {}))
    return failure;
  op.byoc_node("SignalFftAutoScale", {x}, {y, shift});
  return {};
}

}  // namespace byoc::tflite
