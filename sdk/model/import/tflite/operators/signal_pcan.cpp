#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x u32 [n], noise u32 [n], gains i16 [125] -> y u32 [n]
Result<void> import_signal_pcan(OperatorImport& op) {
  constexpr ir::Dim kGains = 125;  // three coefficients for each power of two that a noise may have
  const ir::ValueId x = op.input(0), noise = op.input(1), gains = op.input(2), y = op.output();
  if (!op.expect_dtype(x, {DType::u32}) || !op.expect_rank(x, 1) || !op.expect_dtype(gains, {DType::i16}) ||
      !op.expect_rank(gains, 1))
    return failure;
  for (const ir::ValueId v : {noise, y})
    if (!op.expect_dtype(v, {DType::u32}) || !op.expect_dims(v, op.dims(x))) return failure;
  if (op.dims(gains)[0] < kGains)
    return op.refuse("the table of gains is too short", std::to_string(op.dims(gains)[0]),
                     std::to_string(kGains) + " or more");
  return op.keep_option(op.byoc_node("SignalPCAN", {x, noise, gains}), "snr_shift", 0, 63);
}

}  // namespace byoc::tflite
