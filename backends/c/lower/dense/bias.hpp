// The bias of a product whose operator has none: an Add of one constant for each unit.
#pragma once

#include <vector>

#include "backends/c/emitter.hpp"
#include "backends/c/lower/elementwise/activation.hpp"

namespace byoc::c {

// The result of a product that can add a bias and clamp: its own, or that of the Add that is its only reader, whose
// constant becomes `bias`.
[[nodiscard]] Clamped fuse_bias(Emitter&, const codegen::Node& product, std::vector<float>& bias);
// True where the producer of an operand of this Add computes it by fuse_bias.
[[nodiscard]] bool bias_is_fused(const Emitter&, const codegen::Node& add);

}  // namespace byoc::c
