#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> lower_relu_0_to_1(Lowering& op) { return lower_to_clip(op, 0.0f, 1.0f); }

}  // namespace byoc::tflite
