// Expectations of operators that move elements: which element of the input each element of the output is.
#pragma once

#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {

// Appends element `at` of `from`, or an element made here.
void append(TensorData& to, const TensorData& from, std::size_t at);
void append(TensorData& to, std::int64_t value);
// Of x's type and quantisation; `source` gives the index in x of each index, an empty one where `fill` stands.
[[nodiscard]] TensorData moved(const TensorData& x, Shape shape, const std::function<Index(const Index&)>& source,
                               std::int64_t fill = 0);

// Any element type that moves: its elements, with a quantisation where it has one.
[[nodiscard]] TensorType movable_type(Random&);
[[nodiscard]] TensorData movable_data(Random&, TensorType, Shape);
// A constant, or sometimes an input of the model.
[[nodiscard]] std::int32_t operand(TfliteModel&, Random&, const TensorData&);
// An int32 constant of one dimension, or a scalar.
[[nodiscard]] std::int32_t integers(TfliteModel&, const std::vector<std::int32_t>&, Shape shape);
[[nodiscard]] std::int32_t integers(TfliteModel&, const std::vector<std::int32_t>&);

}  // namespace byoc::test
