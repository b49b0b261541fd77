// Operators whose result elements are elements of their inputs: they commute with quantising and dequantising.
#pragma once

#include <cstddef>

#include "sdk/model/ir/graph.hpp"

namespace byoc::lift {

// The number of leading inputs of `node` that are data which it moves or selects; the rest are shapes, axes and the
// like. 0 for any other operator, and for a Pad that fills with something else than zero. Max pools count: the largest
// integer is the largest real number, as scales are positive.
[[nodiscard]] std::size_t moved_inputs(const ir::Graph&, const ir::Node&);

}  // namespace byoc::lift
