// The sliding window of convolutions and pools: padding made explicit, output shape.
#pragma once

#include <array>

#include "sdk/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Two spatial dimensions each: height, width.
struct Window {
  std::array<std::int64_t, 2> kernel{};
  std::array<std::int64_t, 2> strides{};
  std::array<std::int64_t, 2> dilations{1, 1};
};

struct PlacedWindow {
  std::vector<std::int64_t> pads;      // top, left, bottom, right
  std::array<std::int64_t, 2> output;  // height, width
};

// Places `window` on `x` [N, H, W, C]. Errors: lengths below 1, an unknown padding, a window larger than its input.
Result<PlacedWindow> place(OperatorImport&, ir::ValueId x, const Window& window, schema::Padding padding);

// Writes data_layout, kernel_shape, strides and pads.
void describe_window(ir::Node&, const Window&, const PlacedWindow&);

}  // namespace byoc::tflite
