// Scales and zero points that are operands of a node, as ONNX's quantisation operators have them.
#pragma once

#include <optional>

#include "backends/c/operators.hpp"

namespace byoc::c {

// Operands `scale` and `scale + 1` (which may be left off: zeros) as a quantisation: of one element each per tensor
// (axis -1), otherwise along `axis`, which may count from the end of `rank` dims. Null, with the reason in `why`:
// computed operands, element types, shapes.
[[nodiscard]] std::optional<Quantisation> read_scale_operands(const codegen::Region&, const codegen::Node&,
                                                              std::size_t scale, std::int64_t axis, std::size_t rank,
                                                              codegen::Verdict& why);

// Refuses a constant scale that is not above 0, or not finite. Computed ones are the model's affair.
[[nodiscard]] std::optional<codegen::Verdict> refuse_bad_scale(const codegen::Value&);

// For QLinearConv and QLinearMatMul, whose operands 0, 3 and the type of 7 are a, b and y, and 1, 4 and 6 their scales:
// refuses element types of more than 16 bits, and scales that are not f32 or bad.
[[nodiscard]] std::optional<codegen::Verdict> refuse_qlinear_types(const codegen::Region&, const codegen::Node&);

}  // namespace byoc::c
