// DepthToSpace and SpaceToDepth over N, C, H, W.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {
namespace {

struct Image {
  std::int64_t n, c, h, w;
  [[nodiscard]] std::int64_t at(std::int64_t in, std::int64_t ic, std::int64_t ih, std::int64_t iw) const {
    return ((in * c + ic) * h + ih) * w + iw;
  }
};

Result<std::int64_t> block(const Call& call) {
  const std::int64_t size = call.node.integer("blocksize", 0);
  if (size < 1 || size > (1 << 20)) return call.error("blocksize out of range", std::to_string(size), "1 or more");
  if (call.in(0).type.dims->size() != 4) return call.error("needs a tensor of rank 4", describe(call.in(0)));
  return size;
}

Image image_of(const Dims& d) { return {d[0], d[1], d[2], d[3]}; }

// Moves every element between an image of blocks in its channels and the image that they make up.
template <class F>
Outcome move_blocks(const Call& call, const Dims& out, const Dims& small, F&& f) {
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, out);
  if (!y) return failure;
  const Image s = image_of(small);
  for (std::int64_t n = 0; n < s.n; ++n)
    for (std::int64_t c = 0; c < s.c; ++c)
      for (std::int64_t h = 0; h < s.h; ++h)
        for (std::int64_t w = 0; w < s.w; ++w) f(*mover, *y, n, c, h, w);
  return single(std::move(*y));
}

}  // namespace

Outcome depth_to_space(const Call& call) {
  const Result<std::int64_t> b = block(call);
  if (!b) return failure;
  const std::string mode = call.node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return call.error("unknown mode", mode, "DCR or CRD");
  const Dims& from = *call.in(0).type.dims;
  if (from[1] % (*b * *b) != 0)
    return call.error("the channels do not divide by blocksize squared", describe(call.in(0)), std::to_string(*b));
  const std::int64_t depth = from[1] / (*b * *b);
  const Dims out = {from[0], depth, from[2] * *b, from[3] * *b};
  const Image x = image_of(from), to = image_of(out);
  return move_blocks(
      call, out, from, [&](const Mover& m, Buffer& y, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
        const std::int64_t inside = mode == "DCR" ? c / depth : c % (*b * *b);
        const std::int64_t channel = mode == "DCR" ? c % depth : c / (*b * *b);
        m.copy(call.in(0), x.at(n, c, h, w), y, to.at(n, channel, h * *b + inside / *b, w * *b + inside % *b));
      });
}

Outcome space_to_depth(const Call& call) {
  const Result<std::int64_t> b = block(call);
  if (!b) return failure;
  const Dims& from = *call.in(0).type.dims;
  if (from[2] % *b != 0 || from[3] % *b != 0)
    return call.error("height and width do not divide by blocksize", describe(call.in(0)), std::to_string(*b));
  const Dims out = {from[0], from[1] * *b * *b, from[2] / *b, from[3] / *b};
  const Image x = image_of(from), to = image_of(out);
  return move_blocks(
      call, out, out, [&](const Mover& m, Buffer& y, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
        const std::int64_t inside = c / from[1];
        m.copy(call.in(0), x.at(n, c % from[1], h * *b + inside / *b, w * *b + inside % *b), y, to.at(n, c, h, w));
      });
}

}  // namespace byoc::evaluate
