#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pool.hpp"

namespace byoc::tflite {

Result<void> import_l2_pool_2d(OperatorImport& op) {
  auto options = op.options<schema::Pool2DOptions>();
  if (!options || !op.expect_dtype(op.input(0), {DType::f32})) return failure;
  auto node = import_pool(op, **options, "L2Pool", "byoc");
  if (!node) return failure;
  return op.fuse(**node, (*options)->fused_activation_function());
}

}  // namespace byoc::tflite
