#include "sdk/model/import/tflite/fft.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x [..., fft_length + 2] -> y [..., fft_length]
Result<void> import_signal_irfft(OperatorImport& op) {
  const auto length = fft_length(op);
  if (!length) return failure;
  std::vector<ir::Dim> dims = op.dims(op.input(0));
  dims.back() = *length + 2;
  if (!op.expect_dims(op.input(0), dims)) return failure;
  dims.back() = *length;
  if (!op.expect_dims(op.output(), dims)) return failure;
  op.byoc_node("SignalIrfft", {op.input(0)}).attributes["fft_length"] = *length;
  return {};
}

}  // namespace byoc::tflite
