#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> import_reduce_any(OperatorImport& op) { return import_reduction(op, "ReduceMax", {DType::boolean}); }

}  // namespace byoc::tflite
