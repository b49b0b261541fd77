// Functions of one i8 element, computed at export for all its 256 values.
#pragma once

#include <functional>

#include "backends/c/lower/requantise.hpp"

namespace byoc::c {

// i8 per tensor to i8 per tensor.
[[nodiscard]] codegen::Verdict accepts_lookup(const codegen::Region&, const codegen::Node&);
// `function` gives the result of q in [-128, 127]; it is clamped to [-128, 127] and stored as input 0's image.
bool lower_lookup(Emitter&, const codegen::Node&, const std::function<std::int64_t(std::int32_t)>& function);

// ONNX: round(real / scale) to even in float32, plus the zero point; not clamped beyond int32.
[[nodiscard]] std::int64_t quantise_onnx(float real, const Affine&);

}  // namespace byoc::c
