// DeformConv: a 2-D convolution whose taps are moved by offsets and weighted by a mask. Positions between pixels are
// interpolated; outside the image there are zeros.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/convolution.hpp"

namespace byoc::evaluate {
namespace {

// The image at a place between pixels.
double sample_image(const double* image, std::int64_t height, std::int64_t width, double y, double x) {
  if (!(y > -1 && y < static_cast<double>(height) && x > -1 && x < static_cast<double>(width))) return 0;
  const double top = std::floor(y), left = std::floor(x);
  double sum = 0;
  for (int dy = 0; dy < 2; ++dy)
    for (int dx = 0; dx < 2; ++dx) {
      const auto py = static_cast<std::int64_t>(top) + dy, px = static_cast<std::int64_t>(left) + dx;
      if (py < 0 || py >= height || px < 0 || px >= width) continue;
      const double wy = dy == 0 ? 1 - (y - top) : y - top, wx = dx == 0 ? 1 - (x - left) : x - left;
      sum += wy * wx * image[py * width + px];
    }
  return sum;
}

}  // namespace

Outcome deform_conv(const Call& call) {
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float");
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4}})
    if (call.find(i) != nullptr && !call.same_dtype(0, i)) return failure;
  const Result<Convolution> read = read_convolution(call, 0, 1);
  if (!read) return failure;
  const Convolution& c = *read;
  if (c.in.rank != 4) return call.error("input 0 must have rank 4", describe(call.in(0)));
  const std::int64_t kernel_h = c.axes[1].kernel, kernel_w = c.axes[2].kernel, taps = kernel_h * kernel_w;
  const std::int64_t out_h = c.out.size[1], out_w = c.out.size[2], area = out_h * out_w;
  const std::int64_t offset_groups = call.node.integer("offset_group", 1);
  if (offset_groups < 1 || c.in.channels % offset_groups != 0)
    return call.error("offset_group does not divide the channels", std::to_string(offset_groups));
  const Dims offset_dims{c.in.batch, offset_groups * taps * 2, out_h, out_w};
  const Dims mask_dims{c.in.batch, offset_groups * taps, out_h, out_w};
  if (*call.in(2).type.dims != offset_dims)
    return call.error("input 2 does not fit the result", describe(call.in(2)), describe(offset_dims));
  if (call.find(4) != nullptr && *call.in(4).type.dims != mask_dims)
    return call.error("input 4 does not fit the result", describe(call.in(4)), describe(mask_dims));
  if (call.find(3) != nullptr && *call.in(3).type.dims != Dims{c.out.channels})
    return call.error("the bias must have one element for each output channel", describe(call.in(3)));

  const std::vector<double> x = reals(call.in(0)), w = reals(call.in(1)), offset = reals(call.in(2));
  const std::vector<double> bias = call.find(3) != nullptr ? reals(call.in(3)) : std::vector<double>{};
  const std::vector<double> mask = call.find(4) != nullptr ? reals(call.in(4)) : std::vector<double>{};
  const std::int64_t group_in = c.filter_channels, group_out = c.out.channels / c.groups;
  std::vector<double> y;
  for (std::int64_t n = 0; n < c.in.batch; ++n)
    for (std::int64_t o = 0; o < c.out.channels; ++o)
      for (std::int64_t oy = 0; oy < out_h; ++oy)
        for (std::int64_t ox = 0; ox < out_w; ++ox) {
          double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(o)];
          for (std::int64_t i = 0; i < group_in; ++i) {
            const std::int64_t channel = o / group_out * group_in + i;
            const std::int64_t moved = channel / (c.in.channels / offset_groups);
            const double* image = x.data() + n * c.in.batch_stride + channel * c.in.channel_stride;
            for (std::int64_t k = 0; k < taps; ++k) {
              const std::int64_t tap = (n * offset_groups + moved) * taps + k, pixel = oy * out_w + ox;
              const double at_y = static_cast<double>(evaluate::taps(c.axes[1], oy).position(k / kernel_w)) +
                                  offset[static_cast<std::size_t>(2 * tap * area + pixel)];
              const double at_x = static_cast<double>(evaluate::taps(c.axes[2], ox).position(k % kernel_w)) +
                                  offset[static_cast<std::size_t>((2 * tap + 1) * area + pixel)];
              const double m = mask.empty() ? 1 : mask[static_cast<std::size_t>(tap * area + pixel)];
              sum += m * sample_image(image, c.in.size[1], c.in.size[2], at_y, at_x) *
                     w[static_cast<std::size_t>((o * group_in + i) * taps + k)];
            }
          }
          y.push_back(sum);
        }
  return single(call.from_reals(dtype, c.out.dims(), y));
}

}  // namespace byoc::evaluate
