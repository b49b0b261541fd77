// Parts that AVERAGE_POOL_2D and MAX_POOL_2D share.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Adds `domain`.`op` for x [N, H, W, C] -> y [N, OH, OW, C]; the result is the node, without its fused activation and
// what only one of the operators has.
Result<ir::Node*> import_pool(OperatorImport&, const schema::Pool2DOptions&, const char* op, const char* domain = "");

}  // namespace byoc::tflite
