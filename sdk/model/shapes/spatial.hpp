// Helpers of convolutions and pools: the positions of the dims, and the window with auto_pad resolved.
#pragma once

#include "sdk/model/evaluate/window.hpp"
#include "sdk/model/shapes/inference.hpp"

namespace byoc::shapes {

struct SpatialDims {
  bool channels_last = false;
  ir::Dim batch = 0;
  ir::Dim channels = 0;
  Dims sizes;

  // The dims of an output in the same layout.
  [[nodiscard]] Dims make(ir::Dim out_channels, const Dims& out_sizes) const;
};

// Error: a rank outside 3 to 5, a data_layout that we do not know.
Result<SpatialDims> read_spatial(const Inference& call, std::size_t input);

// Output sizes of a sliding window. Resolves auto_pad into pads, and makes kernel_shape, strides, dilations and pads
// explicit on the node; auto_pad SAME stays while a size it depends on is open. Errors: attributes out of range, a
// window that does not fit, pads next to auto_pad.
Result<Dims> slide(const Inference& call, const Dims& sizes, const Dims& kernel);

// Writes kernel_shape, strides, dilations and pads to the node, and takes auto_pad away.
void write_window(ir::Node& node, const std::vector<evaluate::WindowAxis>& axes);

}  // namespace byoc::shapes
