#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> import_reduce_prod(OperatorImport& op) {
  return import_reduction(op, "ReduceProd", {DType::f32, DType::i32, DType::i64});
}

}  // namespace byoc::tflite
