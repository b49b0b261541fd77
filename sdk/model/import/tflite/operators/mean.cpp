#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> import_mean(OperatorImport& op) {
  return import_reduction(op, "ReduceMean", {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64});
}

}  // namespace byoc::tflite
