// Reductions: which dims, and the sums and means of f32.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/c/operators.hpp"

namespace byoc::c {

// True for each dim of the node's first input that is reduced. Nullopt, with the reason in `why`: axes that are
// computed or out of range.
[[nodiscard]] std::optional<std::vector<bool>> reduced_dims(const codegen::Region&, const codegen::Node&,
                                                            std::string& why);

// ReduceMean and ReduceSum on f32 as one sweep over x. False if there are more dims than the kernel loops over, or only
// a run knows how many elements make one result.
bool lower_reduce_float(Emitter&, const codegen::Node&, const std::vector<bool>& reduced);

}  // namespace byoc::c
