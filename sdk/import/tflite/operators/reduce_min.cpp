#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> lower_reduce_min(Lowering& op) {
  if (!expect_element(op, op.input(0), {DType::f32, DType::i8}) ||
      !op.expect_equal_quantisation(op.input(0), op.output()))
    return failure;
  return lower_reduction(op, "ReduceMin");
}

}  // namespace byoc::tflite
