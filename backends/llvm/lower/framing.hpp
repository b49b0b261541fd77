// The image of a convolution on floats with as much around it as the window reaches, and of 32 bits.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/llvm/emitter.hpp"
#include "backends/llvm/kernels/move.hpp"
#include "byoc/nodes/spatial.hpp"

namespace byoc::bitcode {

[[nodiscard]] Framed frame_of(const nodes::Spatial& s);
// True if the image cannot be read in place.
[[nodiscard]] bool needs_frame(const Framed& f);
// The argument of a kernel that reads the frame: the step's first input, or a workspace that one more call fills from
// it.
[[nodiscard]] Argument framed_input(Emitter& emitter, Framed frame, codegen::Step& step, std::vector<Call>& calls,
                                    std::uint32_t align = 16);
// A window that begins behind all of the image.
[[nodiscard]] bool is_outside(const Framed& f);

}  // namespace byoc::bitcode
