// Helpers of the normalising operators: the groups of elements, and the places of each group's parameters.
#pragma once

#include <optional>

#include "backends/c/lower/step/extent.hpp"
#include "backends/c/lower/step/typed_step.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

struct Normalisation {
  Extents dims;               // the input, viewed
  std::vector<bool> reduced;  // dims that run through a group
  Extents scale, bias;        // their steps along dims; empty: none
  double epsilon = 0;
  bool epsilon_outside = false;  // added to the deviation instead of the variance
  bool about_zero = false;       // the mean is left in: divided by the root of the mean square
};

// Refuses element types and shapes that the kernel does not take.
[[nodiscard]] codegen::Verdict accepts_normalisation(const codegen::Region&, const codegen::Node&,
                                                     const Normalisation&);
// Scale and bias are inputs 1 and 2, mean and inverse deviation outputs 1 and 2.
bool lower_normalisation(Emitter&, const codegen::Node&, const Normalisation&);
// Training: the running mean and variance are inputs 3 and 4, and outputs 1 and 2.
bool lower_running_normalisation(Emitter&, const codegen::Node&, const Normalisation&, double momentum);

// [outer, axis, inner] of the first input around a dim.
struct AroundAxis {
  Extent outer = 1, axis = 1, inner = 1;
};
[[nodiscard]] AroundAxis around(const Extents& dims, std::size_t axis);
// A byoc_channels_t of it.
[[nodiscard]] ParameterText channel_parameters(const AroundAxis&);

// Refuses a first input that is no plain float, and tensors that are too large.
[[nodiscard]] std::optional<codegen::Verdict> refuse_unless_real(const codegen::Region&, const codegen::Node&);

}  // namespace byoc::c
