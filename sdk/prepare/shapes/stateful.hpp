// Operators of models that keep a state between runs: they give its next value beside their result.
#pragma once

#include "sdk/prepare/shapes/inference.hpp"

namespace byoc::shapes {

Result<void> svdf(const Inference&);
Result<void> unidirectional_sequence_lstm(const Inference&);

}  // namespace byoc::shapes
