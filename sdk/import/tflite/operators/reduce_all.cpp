#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> lower_reduce_all(Lowering& op) { return lower_reduction(op, "ReduceMin", {DType::boolean}); }

}  // namespace byoc::tflite
