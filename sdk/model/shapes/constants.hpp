// Constant operands that are numbers of any type.
#pragma once

#include "sdk/model/shapes/inference.hpp"

namespace byoc::shapes {

// The elements of an operand as double, or nullopt if it is not a constant (yet).
[[nodiscard]] std::optional<std::vector<double>> constant_numbers(const Inference& call, std::size_t i);

}  // namespace byoc::shapes
