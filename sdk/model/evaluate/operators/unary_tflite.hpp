// TFLite's quantised forms of functions of one element.
#pragma once

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

Outcome abs_tflite(const Call& call);

}  // namespace byoc::evaluate
