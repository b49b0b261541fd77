#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> lower_reduce_max(Lowering& op) { return lower_extreme(op, "ReduceMax"); }

}  // namespace byoc::tflite
