// Refusals of scales that are operands of a node, as ONNX's quantisation operators have them.
#pragma once

#include <optional>

#include "backends/c/operators.hpp"

namespace byoc::c {

// Numbers that a scale may be: above 0, any that divides, or any that multiplies.
enum class ScaleRange { positive, divisor, finite };

// Refuses a constant scale that is not finite, or out of range. Computed ones are the model's affair.
[[nodiscard]] std::optional<codegen::Verdict> refuse_bad_scale(const codegen::Value&, ScaleRange);

// For QLinearConv and QLinearMatMul, whose operands 0, 3 and the type of 7 are a, b and y, and 1, 4 and 6 their scales:
// refuses element types of more than 16 bits, and scales that are not f32 or bad.
[[nodiscard]] std::optional<codegen::Verdict> refuse_qlinear_types(const codegen::Region&, const codegen::Node&);

}  // namespace byoc::c
