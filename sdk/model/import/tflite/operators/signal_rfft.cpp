#include "sdk/model/import/tflite/fft.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x [..., n] -> y [..., fft_length + 2]: n samples and zeros, real and imaginary parts of the first half of the
// spectrum
Result<void> import_signal_rfft(OperatorImport& op) {
  const auto length = fft_length(op);
  if (!length) return failure;
  std::vector<ir::Dim> dims = op.dims(op.input(0));
  if (dims.back() > *length)
    return op.refuse("more samples than 'fft_length'", std::to_string(dims.back()),
                     "at most " + std::to_string(*length));
  dims.back() = *length + 2;
  if (!op.expect_dims(op.output(), dims)) return failure;
  op.byoc_node("SignalRfft", {op.input(0)}).attributes["fft_length"] = *length;
  return {};
}

}  // namespace byoc::tflite
