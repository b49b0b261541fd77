// Refusals of scales that are operands of a node, as ONNX's quantisation operators have them.
#pragma once

#include <optional>

#include "backends/c/operators.hpp"

namespace byoc::c {

// Refuses a constant scale that is not above 0, or not finite. Computed ones are the model's affair.
[[nodiscard]] std::optional<codegen::Verdict> refuse_bad_scale(const codegen::Value&);

// For QLinearConv and QLinearMatMul, whose operands 0, 3 and the type of 7 are a, b and y, and 1, 4 and 6 their scales:
// refuses element types of more than 16 bits, and scales that are not f32 or bad.
[[nodiscard]] std::optional<codegen::Verdict> refuse_qlinear_types(const codegen::Region&, const codegen::Node&);

}  // namespace byoc::c
