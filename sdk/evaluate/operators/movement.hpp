// What operators share that move elements without looking at them.
#pragma once

#include "sdk/evaluate/call.hpp"

namespace byoc::evaluate {

// Operand 0's bytes, shared, under another shape of the same number of elements.
Outcome same_bytes(const Call& call, Dims dims);

// Moving a quantised element must not change what it means. TFLite moves the integers whatever the tensors say; for
// ONNX a quantisation that differs from the output's is an error.
Result<void> check_moved_quantisation(const Call& call, std::size_t input, std::size_t output = 0);

}  // namespace byoc::evaluate
