/*
 * int8 depthwise convolution for any core: the plane of one input channel is copied out with its border of zero points,
 * band by band, and read by each of its output channels.
 *
 * Weights: [output channel][kernel_h][kernel_w]. in_c is the number of input channels, out_c of output channels.
 * Workspace: (band_rows - 1) * stride_h + (kernel_h - 1) * dilation_h + 1 rows of plane_w bytes.
 */
#include "byoc_depthwise_s8.h"
#include "byoc_kernel.h"

/* Three taps in a row, undilated: four results share what they read. */
static void row_of_three(const byoc_depthwise_s8_t* p, const int8_t* plane, const int8_t* w, int32_t channel,
                         int8_t* out) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t down = c->dilation_h * p->plane_w, stride = c->stride_w;
  const uint32_t bias = (uint32_t)c->requant.bias[channel];
  int32_t ox, ky;
  for (ox = 0; ox < c->out_w; ox += 2) {
    const int8_t* x = plane + ox * stride;
    const int8_t* v = w;
    const int32_t second = ox + 1 < c->out_w ? stride : 0;
    uint32_t a0 = bias, a1 = bias;
    for (ky = 0; ky < c->kernel_h; ++ky, x += down, v += 3) {
      const int8_t* z = x + second;
      a0 += (uint32_t)(v[0] * x[0] + v[1] * x[1] + v[2] * x[2]);
      a1 += (uint32_t)(v[0] * z[0] + v[1] * z[1] + v[2] * z[2]);
    }
    *out = byoc_requantise(&c->requant, channel, a0);
    out += c->out_col;
    if (second) *out = byoc_requantise(&c->requant, channel, a1);
    out += c->out_col;
  }
}

static void row_of_any(const byoc_depthwise_s8_t* p, const int8_t* plane, const int8_t* w, int32_t channel,
                       int8_t* out) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t down = c->dilation_h * p->plane_w;
  int32_t ox, ky, kx;
  for (ox = 0; ox < c->out_w; ++ox, out += c->out_col) {
    const int8_t* x = plane + ox * c->stride_w;
    const int8_t* v = w;
    uint32_t acc = (uint32_t)c->requant.bias[channel];
    for (ky = 0; ky < c->kernel_h; ++ky, x += down)
      for (kx = 0; kx < c->kernel_w; ++kx) acc += (uint32_t)(*v++ * x[kx * c->dilation_w]);
    *out = byoc_requantise(&c->requant, channel, acc);
  }
}

/* Rows of the image from y on, with the border, `rows` of them. */
static void copy_plane(const byoc_depthwise_s8_t* p, const int8_t* in, int32_t y, int32_t rows, int8_t* plane) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t inside = c->in_w < p->plane_w - c->pad_left ? c->in_w : p->plane_w - c->pad_left;
  int32_t x;
  memset(plane, c->in_zero, (size_t)(rows * p->plane_w));
  for (; rows > 0; --rows, ++y, plane += p->plane_w) {
    const int8_t* from = in + y * c->in_row;
    if (y < 0 || y >= c->in_h) continue;
    for (x = 0; x < inside; ++x, from += c->in_col) plane[c->pad_left + x] = *from;
  }
}

static void channel_image(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, int32_t channel, int8_t* plane) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t multiplier = c->out_c / c->in_c, taps = c->kernel_h * c->kernel_w;
  const int32_t reach = (c->kernel_h - 1) * c->dilation_h + 1;
  int32_t top, oy, m;
  for (top = 0; top < c->out_h; top += p->band_rows) {
    const int32_t rows = c->out_h - top < p->band_rows ? c->out_h - top : p->band_rows;
    copy_plane(p, in, top * c->stride_h - c->pad_top, (rows - 1) * c->stride_h + reach, plane);
    for (m = 0; m < multiplier; ++m) {
      const int32_t at = channel * multiplier + m;
      int8_t* to = out + m * c->out_chan + top * c->out_row;
      for (oy = 0; oy < rows; ++oy, to += c->out_row) {
        const int8_t* from = plane + oy * c->stride_h * p->plane_w;
        if (c->kernel_w == 3 && c->dilation_w == 1) {
          row_of_three(p, from, c->weights + at * taps, at, to);
        } else {
          row_of_any(p, from, c->weights + at * taps, at, to);
        }
      }
    }
  }
}

void BYOC_SYMBOL(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t multiplier = c->out_c / c->in_c;
  int32_t b, g;
  for (b = 0; b < c->batch; ++b, in += c->in_batch, out += c->out_batch)
    for (g = 0; g < c->in_c; ++g)
      channel_image(p, in + g * c->in_chan, out + g * multiplier * c->out_chan, g, (int8_t*)workspace);
}
