#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> import_reduce_max(OperatorImport& op) { return import_extreme(op, "ReduceMax"); }

}  // namespace byoc::tflite
