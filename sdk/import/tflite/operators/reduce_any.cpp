#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> lower_reduce_any(Lowering& op) { return lower_reduction(op, "ReduceMax", {DType::boolean}); }

}  // namespace byoc::tflite
