// Expectations of operators that move elements: which element of the input each element of the output is.
#pragma once

#include "tests/e2e/layers/data.hpp"

namespace byoc::test {

// Appends element `at` of `from`, or an element made here.
void append(TensorData& to, const TensorData& from, std::size_t at);
void append(TensorData& to, std::int64_t value);
// Of x's type and quantisation; `source` gives the index in x of each index, an empty one where `fill` stands.
[[nodiscard]] TensorData moved(const TensorData& x, Shape shape, const std::function<Index(const Index&)>& source,
                               std::int64_t fill = 0);

}  // namespace byoc::test
