#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> lower_mean(Lowering& op) {
  if (!expect_element(op, op.input(0), {DType::f32, DType::i8, DType::i16})) return failure;
  return lower_reduction(op, "ReduceMean");
}

}  // namespace byoc::tflite
