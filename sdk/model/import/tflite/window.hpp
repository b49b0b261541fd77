// The sliding window of convolutions and pools: padding made explicit, output shape.
#pragma once

#include <cstdint>
#include <vector>

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Two spatial dimensions each, height and width, or three: depth before them.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations = {1, 1};
};

struct PlacedWindow {
  std::vector<std::int64_t> pads;    // before each dimension, then behind each: top, left, bottom, right
  std::vector<std::int64_t> output;  // lengths
};

// "height", of dimension i of so many spatial ones.
[[nodiscard]] const char* spatial_name(std::size_t i, std::size_t spatial);

// Places `window` on `x` [N, spatial, C]. Errors: lengths below 1, an unknown padding, a window larger than its input.
Result<PlacedWindow> place(OperatorImport&, ir::ValueId x, const Window& window, schema::Padding padding);

// Writes data_layout, kernel_shape, strides and pads.
void describe_window(ir::Node&, const Window&, const PlacedWindow&);

// A window that spreads each element of `x` [N, spatial, C] over the operator's output, whose lengths are stated.
struct SpreadWindow {
  std::vector<std::int64_t> pads;    // what is cut off before each dimension, then behind each
  std::vector<std::int64_t> beyond;  // of the output, behind what the window reaches
};
Result<SpreadWindow> place_spread(OperatorImport&, ir::ValueId x, const Window& window, schema::Padding padding);
// Writes what a ConvTranspose of the filter layout OHWI has.
void describe_spread(ir::Node&, const Window&, const SpreadWindow&);

}  // namespace byoc::tflite
