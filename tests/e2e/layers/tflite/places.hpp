// Operands of operators that move elements, and integers as operands.
#pragma once

#include "tests/e2e/layers/moved.hpp"
#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {

// Any element type that moves: its elements, with a quantisation where it has one.
[[nodiscard]] TensorType movable_type(Random&);
[[nodiscard]] TensorData movable_data(Random&, TensorType, Shape);
// A constant, or sometimes an input of the model.
[[nodiscard]] std::int32_t operand(TfliteModel&, Random&, const TensorData&);
// An int32 constant of one dimension, or a scalar.
[[nodiscard]] std::int32_t integers(TfliteModel&, const std::vector<std::int32_t>&, Shape shape);
[[nodiscard]] std::int32_t integers(TfliteModel&, const std::vector<std::int32_t>&);

}  // namespace byoc::test
