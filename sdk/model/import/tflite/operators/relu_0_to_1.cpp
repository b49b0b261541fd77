#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_relu_0_to_1(OperatorImport& op) { return import_to_clip(op, 0.0f, 1.0f); }

}  // namespace byoc::tflite
