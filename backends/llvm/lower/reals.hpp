// Floats of 32 and of 16 bits: types of values, and what constants of them are.
#pragma once

#include <optional>
#include <vector>

#include "backends/llvm/ir/code.hpp"
#include "byoc/codegen.hpp"
#include "byoc/nodes/activation.hpp"

namespace byoc::bitcode {

// Null for a type that is none of them.
[[nodiscard]] std::optional<Real> real_of(DType type);
// The format of a value that has one of them.
[[nodiscard]] Real real_of(const codegen::Value& value);
[[nodiscard]] std::vector<float> reals(const codegen::Value& constant);
// nodes::clamp_bounds, of floats of 16 bits as well.
[[nodiscard]] std::optional<nodes::Bounds> clamp_bounds(const codegen::Region& region, const codegen::Node& node);

}  // namespace byoc::bitcode
