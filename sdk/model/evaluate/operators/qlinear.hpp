// Scale and zero point operands of the QLinear operators.
#pragma once

#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

// Operands `scale` and `scale + 1` as per-tensor parameters of the element type of the zero point. Errors: not one
// element each, a scale that is not positive and finite, a zero point that is no 8- or 16-bit integer.
Result<Affine> qlinear_tensor(const Call& call, std::size_t scale);

// Reads one scale for each of `channels`, or one for all; there are as many zero points, or one.
Result<FilterScales> qlinear_channels(const Call& call, std::size_t scale, std::int64_t channels);

}  // namespace byoc::evaluate
