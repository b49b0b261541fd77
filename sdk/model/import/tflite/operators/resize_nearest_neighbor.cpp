#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/resize.hpp"

namespace byoc::tflite {

// x [N, H, W, C]. With align_corners and half_pixel_centers both, upstream's positions are no corner's and no center's.
Result<void> import_resize_nearest_neighbor(OperatorImport& op) {
  auto options = op.options<schema::ResizeNearestNeighborOptions>();
  if (!options) return failure;
  if (!op.expect_moved(op.input(0), op.output())) return failure;
  return import_to_resize(op, "nearest", (*options)->align_corners(), (*options)->half_pixel_centers());
}

}  // namespace byoc::tflite
