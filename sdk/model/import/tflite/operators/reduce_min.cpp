#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> import_reduce_min(OperatorImport& op) { return import_extreme(op, "ReduceMin"); }

}  // namespace byoc::tflite
