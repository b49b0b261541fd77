// Quantisation parameters of a matrix operand: one of all, one for each row of the left and each column of the right
// matrix, or those of each matrix of a stack by itself.
#pragma once

#include <vector>

#include "sdk/model/evaluate/call.hpp"

namespace byoc::evaluate {

enum class Side { left, right };

// For each element of operand `matrix`, the index of its parameter in operand `parameter`. Error: a shape other than
// those above.
Result<std::vector<std::size_t>> parameter_indexes(const Call& call, std::size_t matrix, std::size_t parameter,
                                                   Side side);

}  // namespace byoc::evaluate
