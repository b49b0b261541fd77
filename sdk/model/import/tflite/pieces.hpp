// Parts that the operators share which split tensors.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// A constant of one integer that names one of `rank` dimensions.
Result<std::size_t> axis_input(OperatorImport&, ir::ValueId, std::size_t rank);

// Adds the Split of `x` into all outputs, of these lengths along `axis`; a single one is x itself.
Result<void> import_to_split(OperatorImport&, ir::ValueId x, std::size_t axis,
                             const std::vector<std::int64_t>& lengths);

// Adds the Slice of `x` that is `to`: `count` elements of each dimension from `start` on by `step`, all in range.
struct Cut {
  std::int64_t start = 0, step = 1, count = 0;
};
void slice(OperatorImport&, ir::ValueId x, ir::ValueId to, const std::vector<Cut>& cuts);

}  // namespace byoc::tflite
