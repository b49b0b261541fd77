// TFLite's quantised forms of operators with two operands.
#pragma once

#include <string_view>

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

Outcome prelu_tflite(const Call& call);
Outcome div_tflite(const Call& call);
Outcome extreme_tflite(const Call& call, bool largest);
// `holds` is given the name of the operator.
Outcome compare_tflite(const Call& call, bool (*holds)(std::string_view op, std::int32_t a, std::int32_t b));

}  // namespace byoc::evaluate
