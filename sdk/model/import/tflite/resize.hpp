// Parts that RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR share.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Adds a Resize of x [N, H, W, C] to the height and width of input 1, which the output has. `mode` is ONNX's.
Result<void> import_to_resize(OperatorImport&, const char* mode, bool align_corners, bool half_pixel_centers);

}  // namespace byoc::tflite
