// Operators on quantised values whose arithmetic in TFLite graphs is a kernel of its own. The files of the operators
// dispatch to them.
#pragma once

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

Outcome elu_tflite(const Call& call);
Outcome hard_swish_tflite(const Call& call);
Outcome resize_tflite(const Call& call);

}  // namespace byoc::evaluate
