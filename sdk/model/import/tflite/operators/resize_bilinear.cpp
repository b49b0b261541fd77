#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/resize.hpp"

namespace byoc::tflite {

// x [N, H, W, C] of float32 or int8, whose integers are interpolated as they are.
Result<void> import_resize_bilinear(OperatorImport& op) {
  auto options = op.options<schema::ResizeBilinearOptions>();
  if (!options) return failure;
  if (!op.expect_activations(op.input(0), op.output()) || !op.expect_dtype(op.output(), {DType::f32, DType::i8}))
    return failure;
  return import_to_resize(op, "linear", (*options)->align_corners(), (*options)->half_pixel_centers());
}

}  // namespace byoc::tflite
