#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> lower_rsqrt(Lowering& op) { return lower_function(op, "byoc", "Rsqrt", {DType::f32, DType::i8}); }

}  // namespace byoc::tflite
