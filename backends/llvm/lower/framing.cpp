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

Argument framed_input(Emitter& emitter, Framed frame, codegen::Step& step, std::vector<Call>& calls,
                      std::uint32_t align) {
  if (!needs_frame(frame)) return input(0);
  const std::int64_t floats = frame.images * frame.rows * frame.cols * frame.channels;
  frame.by_range = emitter.is_shared(Emitter::Work::elements, floats, frame.rows);
  Argument to = scratch(step, floats * size_of(Real::f32), align);
  calls.push_back(
      {emitter.modules().kernel("frame", key_of(frame),
                                [&](Code& code, const std::string& symbol) { write_framed(code, symbol, frame); }),
       {input(0), to},
       frame.by_range ? frame.rows : 0});
  return to;
}

bool is_outside(const Framed& f) { return f.top >= f.rows || f.left >= f.cols; }

}  // namespace byoc::bitcode
