// Parts that PAD, PADV2 and MIRROR_PAD share.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

struct Paddings {
  std::vector<std::int64_t> before, after;  // of each dimension
  std::vector<ir::Dim> dims;                // with them
};
// Input 1 of the operator: [rank, 2], before and after, 0 or more.
Result<Paddings> read_paddings(OperatorImport&, std::initializer_list<DType> allowed);

// Adds the Pad of `x` to `to`. `value`: what pads, kNoValue for the zero point.
ir::Node& pad(OperatorImport&, ir::ValueId x, ir::ValueId to, const Paddings&, const std::string& mode,
              ir::ValueId value);

}  // namespace byoc::tflite
