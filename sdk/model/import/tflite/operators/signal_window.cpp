#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x i16 [..., n], window i16 [m] -> y i16
Result<void> import_signal_window(OperatorImport& op) {
  const auto shift = op.option("shift", 0, 31);
  if (!shift || !op.expect_dtype(op.input(0), {DType::i16}) || !op.expect_dtype(op.input(1), {DType::i16}) ||
      !op.expect_rank(op.input(1), 1) || !op.expect_dtype(op.output(), {DType::i16}) ||
      !op.expect_dims(op.output(), op.dims(op.input(0))))
    return failure;
  op.byoc_node("SignalWindow", {op.input(0), op.input(1)}).attributes["shift"] = *shift;
  return {};
}

}  // namespace byoc::tflite
