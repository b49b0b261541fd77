// Helpers of the operators on sequences.
#pragma once

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

// Error unless operand 0 is a sequence.
Result<void> want_sequence(const Call& call);
// A position in the sequence of operand 0, counted from the end where it is negative. Error: none of [-length, count).
Result<std::size_t> position(const Call& call, std::size_t input, std::int64_t count);

}  // namespace byoc::evaluate
