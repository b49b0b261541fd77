// Helpers for operators that compute each element from one element.
#pragma once

#include <functional>

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

// f of every element of operand 0, computed in double and rounded once. Quantised operands of ONNX graphs are
// dequantised, computed in float32 and quantised; those of TFLite graphs are the caller's.
Outcome map_reals(const Call& call, const std::function<double(double)>& f);

}  // namespace byoc::evaluate
