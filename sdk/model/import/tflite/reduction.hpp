// Parts that the reductions share.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Adds `onnx_op` over the axes of input 1, for x -> y of one of these element types. A scalar is its own reduction,
// whatever the axes.
Result<void> import_reduction(OperatorImport&, const char* onnx_op, std::initializer_list<DType> allowed);

// REDUCE_MAX and REDUCE_MIN: the kernels compare integers and do not rescale them.
Result<void> import_extreme(OperatorImport&, const char* onnx_op);

}  // namespace byoc::tflite
