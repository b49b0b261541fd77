#include "backends/c/lower/conv/conv_plan.hpp"

#include <algorithm>
#include <utility>

#include "backends/layers/in_place.hpp"

namespace byoc::c {
namespace {

// Rows of a depthwise plane are cut into bands of about this many elements; shorter ones copy rows more often.
constexpr std::int64_t kBandElements = 1024, kShortBandElements = 128;

// The MVE kernel reaches 16 taps by 8-bit offsets, and eight pixels by 16-bit ones.
bool fits_mve(const Convolution& c, std::int64_t plane_w) {
  const Window& w = c.window;
  const std::int64_t reach = (w.kernel_h - 1) * w.dilation_h * plane_w + (w.kernel_w - 1) * w.dilation_w;
  return c.taps() <= 16 && reach <= 255 && 7 * c.in.col <= 65535;
}

// The width of a block of four results whose windows the MVE kernel reads at once; 0: there is no such block.
std::int64_t block_width(const Convolution& c, std::int64_t plane_w) {
  const Window& w = c.window;
  if (w.dilation_h != 1 || w.dilation_w != 1) return 0;
  for (const std::int64_t width : {2, 4, 1}) {
    const std::int64_t height = 4 / width, window_w = w.kernel_w + (width - 1) * w.stride_w;
    const std::int64_t window_h = w.kernel_h + (height - 1) * w.stride_h;
    if (c.out.height >= height && c.out.width >= width && window_h * window_w <= 16 &&
        (window_h - 1) * plane_w + window_w - 1 <= 255 &&
        (c.out.height - 1) * c.out.row + (c.out.width - 1) * c.out.col <= 65535)
      return width;
  }
  return 0;
}

// The MVE kernel copies two channels at once, by 16-bit elements at even addresses.
bool may_share_plane(const DepthwisePlan& p) {
  const Image &in = p.c.in, &out = p.c.out;
  const Window& w = p.c.window;
  const std::int64_t block_h = p.block_w ? 4 / p.block_w : 1;
  const std::int64_t rows = std::max((w.kernel_h - 1) * w.dilation_h, w.kernel_h - 1 + (block_h - 1) * w.stride_h);
  const std::int64_t columns = std::max((w.kernel_w - 1) * w.dilation_w,
                                        w.kernel_w - 1 + (std::max<std::int64_t>(p.block_w, 1) - 1) * w.stride_w);
  const bool even = in.channels % 2 == 0 && in.row % 2 == 0 && in.col % 2 == 0 && in.batch_stride % 2 == 0;
  return in.chan == 1 && in.channels == out.channels && even && rows * p.plane_w + columns <= 127;
}

std::int64_t depthwise_plane_width(const Convolution& c) {
  const Window& w = c.window;
  return (c.out.width - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1;
}

// Kernels take results of a row in twos; beginning a row costs about as much as four results.
bool better_transposed(const Convolution& c, Path path) {
  const auto cost = [](std::int64_t rows, std::int64_t width) { return rows * ((width + 1) / 2 * 2 + 4); };
  const Convolution t = transposed(c);
  if (path == Path::mve && !fits_mve(t, depthwise_plane_width(t))) return false;
  return cost(t.out.height, t.out.width) < cost(c.out.height, c.out.width);
}

}  // namespace

Convolution transposed(Convolution c) {
  for (Image* m : {&c.in, &c.out}) {
    std::swap(m->height, m->width);
    std::swap(m->row, m->col);
  }
  Window& w = c.window;
  std::swap(w.kernel_h, w.kernel_w);
  std::swap(w.stride_h, w.stride_w);
  std::swap(w.dilation_h, w.dilation_w);
  std::swap(w.pad_top, w.pad_left);
  return c;
}

DepthwisePlan plan_depthwise(const Convolution& image, Scaling scaling, unsigned bits, const TargetSpec& target,
                             std::uint32_t attempt, bool last_use) {
  const Path path = kernel_path(scaling, target);
  const bool turned = better_transposed(image, path);
  DepthwisePlan p{path, turned, turned ? transposed(image) : image, 0, 0};
  const Window& w = p.c.window;
  p.plane_w = depthwise_plane_width(p.c);
  if (path == Path::mve && !fits_mve(p.c, p.plane_w)) p.path = target.has("dsp") ? Path::dsp : Path::portable;
  if (p.path == Path::mve) p.block_w = block_width(p.c, p.plane_w);
  if (bits < 8) p.unpacked = image.taps();
  if (p.path == Path::dsp) p.plane_w = (p.plane_w + 2) / 2 * 2;  // pairs, and one element behind the last
  const std::int64_t most = attempt == 0 ? kBandElements : kShortBandElements;
  const std::int64_t elements = p.path == Path::mve ? most / 2 : most;
  const std::int64_t reach_h = (w.kernel_h - 1) * w.dilation_h + 1;
  const std::int64_t whole = p.c.out.height;
  p.band_rows = std::clamp<std::int64_t>((elements / p.plane_w - reach_h) / w.stride_h + 1, 1, whole);
  // If the output overwrites its input, a plane that is the whole image needs no leading offset; otherwise each band of
  // a channel is copied before its results are written.
  const bool at_input = channels_in_place(image.in, image.out);
  p.lead = channel_lead(p.c.in, p.c.out, w, 1, 1);
  const std::int64_t results = image.out.batch * image.out.batch_stride;
  const std::int64_t more = p.workspace(whole) - p.workspace(p.band_rows);
  if (at_input && last_use && more < (p.lead ? static_cast<std::int64_t>(*p.lead) : results)) p.band_rows = whole;
  if (at_input && p.band_rows == whole) p.lead = 0;
  if (attempt == 0 && p.path == Path::mve && p.band_rows == whole && may_share_plane(p)) p.channels = 2;
  return p;
}

bool is_strided_3x3(const DepthwisePlan& p) {
  const Window& w = p.c.window;
  return w.stride_w != 1 || (p.path == Path::dsp && w.stride_h != 1);
}

bool is_plain_3x3(const DepthwisePlan& p) {
  const Window& w = p.c.window;
  const bool undilated = w.dilation_w == 1 && (p.path == Path::portable || w.dilation_h == 1);
  return w.kernel_h == 3 && w.kernel_w == 3 && undilated;
}

bool takes_lines(const DepthwisePlan& p) { return p.path == Path::dsp && is_plain_3x3(p) && !is_strided_3x3(p); }

Path patches_path(const Convolution& c, Scaling scaling, const TargetSpec& target) {
  const Path path = kernel_path(scaling, target);
  // The MVE kernel stores by 16-bit offsets.
  if (path == Path::mve && std::max(7 * c.out.col, 3 * c.out.col + c.out.chan) > 65535)
    return target.has("dsp") ? Path::dsp : Path::portable;
  return path;
}

std::int64_t whole_words(std::int64_t depth, unsigned bits) {
  const std::int64_t step = bits == 8 ? 4 : 32 / bits;
  return (depth + step - 1) / step * step;
}

std::int64_t whole_vectors(std::int64_t depth, unsigned bits) {
  const std::int64_t step = bits == 2 ? 32 : 16;
  return (depth + step - 1) / step * step;
}

bool are_whole_blocks(const Convolution& c) { return c.in.chan == 1 && c.group_in() % 16 == 0; }

Convolution in_one_row(Convolution c) {
  const Window& w = c.window;
  if (c.taps() != 1 || w.stride_h != 1 || w.stride_w != 1 || w.pad_top != 0 || w.pad_left != 0) return c;
  if (c.in.height != c.out.height || c.in.width != c.out.width) return c;
  for (Image* m : {&c.in, &c.out})
    if (m->row != m->width * m->col) return c;
  for (Image* m : {&c.in, &c.out}) {
    m->width *= m->height;
    m->height = 1;
    m->row = m->width * m->col;
  }
  return c;
}

bool within_reach(const Convolution& c) {
  const Window& w = c.window;
  const std::int64_t rows = (w.kernel_h - 1) * w.dilation_h, columns = (w.kernel_w - 1) * w.dilation_w;
  return c.depth() <= 64 && std::max(rows, columns) <= 126 &&
         rows * c.in.row + columns * c.in.col + (c.group_in() - 1) * c.in.chan <= 255;
}

std::int64_t patches_workspace(const Convolution& c, std::int64_t padded) {
  const std::int64_t more = are_whole_blocks(c) ? 0 : within_reach(c) ? 3 : 1;
  return (c.group_out() + 1) / 2 * 32 + (4 + more) * padded + 12;
}

bool may_copy_patches(bool last_use, Objective objective, std::uint32_t attempt) {
  return last_use && (objective != Objective::speed || attempt > 0);
}

std::optional<RowsByMatrix> as_dense(const Convolution& c) {
  const bool one_pixel = c.in.height * c.in.width == 1 && c.out.height * c.out.width == 1 && c.taps() == 1;
  const bool padded = c.window.pad_top != 0 || c.window.pad_left != 0;
  if (!one_pixel || padded || c.groups != 1 || c.filter.out_axis != 0) return std::nullopt;
  return RowsByMatrix{c.in.batch, c.depth(), c.out.channels, 0};
}

}  // namespace byoc::c
