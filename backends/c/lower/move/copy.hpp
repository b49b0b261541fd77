// Steps that move elements, of any type of 1, 2, 4 or 8 bytes.
#pragma once

#include <string>

#include "backends/c/emitter.hpp"
#include "backends/c/lower/step/view.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

class StepBuilder;

// dims with the strides of source and target, and where both begin; in elements.
struct Copy {
  Extents dims, from_strides, to_strides;
  Extent from_offset = 0, to_offset = 0;
};

// Bytes of an element; 0 where it is not a whole number that the kernels know.
[[nodiscard]] std::size_t element_size(DType);
// Appends the call that copies `from` to `to` (C expressions). No dim is 0.
void add_copy(StepBuilder&, DType, const Copy&, std::string_view from, std::string_view to);

}  // namespace byoc::c
