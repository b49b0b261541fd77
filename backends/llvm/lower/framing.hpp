// The image of a convolution on floats with as much around it as the window reaches, and of 32 bits.
#pragma once

#include "backends/llvm/kernels/move.hpp"
#include "byoc/nodes/spatial.hpp"

namespace byoc::bitcode {

[[nodiscard]] Framed frame_of(const nodes::Spatial& s);
// Whether the image cannot be read where it lies.
[[nodiscard]] bool needs_frame(const Framed& f);
// A window that begins behind all of the image.
[[nodiscard]] bool is_outside(const Framed& f);

}  // namespace byoc::bitcode
