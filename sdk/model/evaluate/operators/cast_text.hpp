// Cast to and from strings.
#pragma once

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

// Operand 0, or what is wanted, is of strings.
Outcome cast_text(const Call& call, DType to);

}  // namespace byoc::evaluate
