#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/resize.hpp"

namespace byoc::tflite {

// x [N, H, W, C] of float32, int8 or uint8, whose integers are interpolated as they are.
Result<void> import_resize_bilinear(OperatorImport& op) {
  auto options = op.options<schema::ResizeBilinearOptions>();
  if (!options) return failure;
  const bool of_uint8 = op.type(op.input(0)).dtype == DType::u8;
  if (of_uint8
          ? !op.expect_quantised(op.input(0), {DType::u8}) || !op.expect_quantised(op.output(), {DType::u8})
          : !op.expect_activations(op.input(0), op.output()) || !op.expect_dtype(op.output(), {DType::f32, DType::i8}))
    return failure;
  return import_to_resize(op, "linear", (*options)->align_corners(), (*options)->half_pixel_centers());
}

}  // namespace byoc::tflite
