// Functions of one 8-bit element, computed at export for all its 256 values.
#pragma once

#include <functional>

#include "backends/c/lower/quantise/requantise.hpp"

namespace byoc::c {

// i8 or u8 per tensor to i8 or u8 per tensor.
[[nodiscard]] codegen::Verdict accepts_lookup(const codegen::Region&, const codegen::Node&);
// `function` gives the result of each q of the input's type; it is clamped to the range of the output's.
bool lower_lookup(Emitter&, const codegen::Node&, const std::function<std::int64_t(std::int32_t)>& function);

}  // namespace byoc::c
