#include "backends/llvm/lower/framing.hpp"

namespace byoc::bitcode {

Framed frame_of(const nodes::Spatial& s) {
  Framed f{.images = s.batch, .channels = s.in_channels, .in_rows = s.in[1], .in_cols = s.in[2]};
  f.channels_last = s.channels_last;
  f.top = s.pad[1];
  f.left = s.pad[2];
  f.rows = (s.out[1] - 1) * s.stride[1] + (s.kernel[1] - 1) * s.dilation[1] + 1;
  f.cols = (s.out[2] - 1) * s.stride[2] + (s.kernel[2] - 1) * s.dilation[2] + 1;
  return f;
}

bool needs_frame(const Framed& f) {
  return f.real != Real::f32 || !f.channels_last || f.top != 0 || f.left != 0 || f.rows > f.in_rows ||
         f.cols > f.in_cols;
}

bool is_outside(const Framed& f) { return f.top >= f.rows || f.left >= f.cols; }

}  // namespace byoc::bitcode
