#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> lower_ceil(Lowering& op) { return lower_function(op, "", "Ceil", {DType::f32}); }

}  // namespace byoc::tflite
