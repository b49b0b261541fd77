// Operators of models that keep a state between runs: they give its next value beside their result.
#pragma once

#include "sdk/evaluate/call.hpp"

namespace byoc::evaluate {

Outcome svdf(const Call& call);
Outcome unidirectional_sequence_lstm(const Call& call);

}  // namespace byoc::evaluate
