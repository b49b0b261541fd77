// Comparing tensors, and what the tests print of them.
#pragma once

#include <string>

#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::test {

struct Tolerance {
  double relative = 0;  // to the expected element
  double absolute = 0;
  double relative_to_max = 0;  // to the largest finite element expected
};

// What the runner of the official ONNX cases allows floats; and that of the newer ones, whose outputs were computed
// with another numpy.
inline constexpr Tolerance kOfficial{1e-3, 1e-7, 0};
inline constexpr Tolerance kNewerOfficial{1e-3, 1e-6, 0};

// What differs, or "". Integers and bool must be equal, whatever the tolerance; types must be equal.
[[nodiscard]] std::string difference(const evaluate::Tensor& found, const evaluate::Tensor& expected, Tolerance);

// "f32[1,2]"
[[nodiscard]] std::string type_text(const ir::TensorType&);

// All errors, one a line.
[[nodiscard]] std::string error_text(const Diagnostics&);

}  // namespace byoc::test
