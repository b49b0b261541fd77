// Parts that the operators SignalRfft and SignalIrfft share.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// The option fft_length. Errors: odd, or too long; types other than the option T says; input and output of other shapes
// than [..., n].
Result<std::int64_t> fft_length(OperatorImport& op);

}  // namespace byoc::tflite
