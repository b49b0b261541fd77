#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_rsqrt(OperatorImport& op) {
  return import_function(op, "byoc", "Rsqrt", {DType::f32, DType::i8, DType::i16});
}

}  // namespace byoc::tflite
