#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_relu6(OperatorImport& op) { return import_to_clip(op, 0.0f, 6.0f); }

}  // namespace byoc::tflite
