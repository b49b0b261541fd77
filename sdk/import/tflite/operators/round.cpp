#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> lower_round(Lowering& op) { return lower_function(op, "", "Round", {DType::f32}); }

}  // namespace byoc::tflite
