#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x u32 [n] -> y u32 [n], noise u32 [n]. The noise after one run is the initial noise of the next.
Result<void> import_signal_filter_bank_spectral_subtraction(OperatorImport& op) {
  const ir::ValueId x = op.input(0), y = op.output(0), noise = op.output(1);
  if (!op.expect_dtype(x, {DType::u32}) || !op.expect_rank(x, 1)) return failure;
  for (const ir::ValueId v : {y, noise})
    if (!op.expect_dtype(v, {DType::u32}) || !op.expect_dims(v, op.dims(x))) return failure;
  if (!op.option("num_channels", op.dims(x)[0], op.dims(x)[0])) return failure;
  const auto before = op.add_state(op.type(noise));
  if (!before) return failure;
  op.set_next_state(*before, noise);
  ir::Node& node = op.byoc_node("SignalFilterBankSpectralSubtraction", {x, *before}, {y, noise});
  for (const char* name : {"smoothing", "one_minus_smoothing", "alternate_smoothing", "alternate_one_minus_smoothing",
                           "min_signal_remaining"})
    if (!op.keep_option(node, name, 0, INT32_MAX)) return failure;
  if (!op.keep_option(node, "clamping", 0, 1) || !op.keep_option(node, "smoothing_bits", 0, 31) ||
      !op.keep_option(node, "spectral_subtraction_bits", 0, 63))
    return failure;
  return {};
}

}  // namespace byoc::tflite
