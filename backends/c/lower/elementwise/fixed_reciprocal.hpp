// Reciprocals in TFLite's fixed point, for tables that are made at export.
#pragma once

#include <cstdint>

#include "backends/c/lower/quantise/requantise.hpp"

namespace byoc::c {

// 1 / (1 + a) for a in [0, 1), both with 31 fractional bits: three Newton steps, each product rounded.
// Reference: one_over_one_plus_x_for_x_in_0_1 of gemmlowp's fixedpoint/fixedpoint.h.
[[nodiscard]] std::int32_t reciprocal_of_one_plus(std::int32_t a);

// 1 / sqrt(x) of an integer above 0: five Newton steps. Reference: GetInvSqrtQuantizedMultiplierExp of
// tensorflow/lite/kernels/internal/common.h.
[[nodiscard]] Multiplier inverse_square_root(std::int32_t x);

}  // namespace byoc::c
