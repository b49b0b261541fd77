// Parts that operators share which move blocks between dimensions.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

struct Blocks {
  std::vector<std::int64_t> lengths;  // of dimensions 1, 2 ...
  std::vector<std::int64_t> edges;    // before and after of each, 0 or more
};
// Inputs 1 and 2 of SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND.
Result<Blocks> read_blocks(OperatorImport&, const char* edges);

// Adds what sees `x` as `split`, permutes that, and sees the result as `to`.
void regroup(OperatorImport&, ir::ValueId x, ir::ValueId to, const std::vector<ir::Dim>& split,
             const std::vector<std::int64_t>& perm);

}  // namespace byoc::tflite
