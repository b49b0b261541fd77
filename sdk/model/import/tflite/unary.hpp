// Parts that the element-wise operators of one input share.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Input 0 and the output are activations of one element type and shape.
Result<void> expect_unary(OperatorImport&);

// Adds `domain`.`graph_op` for x -> y of one shape and one of these element types.
Result<void> import_function(OperatorImport&, const char* domain, const char* graph_op,
                             std::initializer_list<DType> allowed);

// As import_function(), for float32; of int8 the function is looked up.
Result<void> import_real_function(OperatorImport&, const char* graph_op, float (*function)(float));

// Adds Clip to [lowest, highest], in real units.
Result<void> import_to_clip(OperatorImport&, float lowest, float highest);

}  // namespace byoc::tflite
