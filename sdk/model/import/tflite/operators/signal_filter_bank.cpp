#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x u32 [bins], weights and unweights i16 [n], of each band the first bin, the first weight and the width i16
// [channels + 1] -> y u64 [channels]
Result<void> import_signal_filter_bank(OperatorImport& op) {
  const auto channels = op.option("num_channels", 1, 32767);
  if (!channels || !op.expect_dtype(op.input(0), {DType::u32}) || !op.expect_rank(op.input(0), 1) ||
      !op.expect_dtype(op.output(), {DType::u64}) || !op.expect_dims(op.output(), {*channels}))
    return failure;
  for (std::size_t i = 1; i < 6; ++i) {
    const ir::ValueId v = op.input(i);
    if (!op.expect_dtype(v, {DType::i16}) || !op.expect_rank(v, 1)) return failure;
    if (i >= 3 && !op.expect_dims(v, {*channels + 1})) return failure;
    if (i >= 3 && !op.value(v).constant) return op.refuse("the bands must be constant", op.describe(v), "a constant");
  }
  op.byoc_node("SignalFilterBank", {op.input(0), op.input(1), op.input(2), op.input(3), op.input(4), op.input(5)})
      .attributes["num_channels"] = *channels;
  return {};
}

}  // namespace byoc::tflite
