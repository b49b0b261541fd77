/*
 * int8 depthwise convolution for any core: the plane of one input channel is copied out with its border of zero points,
 * band by band, and read by each of its output channels.
 *
 * Weights: [output channel][kernel_h][kernel_w], as byoc_weight.h has them. in_c is the number of input channels, out_c
 * of output channels.
 * Workspace: (band_rows - 1) * stride_h + (kernel_h - 1) * dilation_h + 1 rows of plane_w bytes; then, with
 * BYOC_WEIGHT_BITS of 4 or 2, a byte for each tap.
 */
#include "byoc_channel.h"
#include "byoc_depthwise_s8.h"
#include "byoc_kernel.h"
#include "byoc_weight.h"

/* The data for turning the plane of a band into rows of results of one output channel. */
typedef struct rows_t {
  const uint8_t* plane; /* each element with 128 added: bytes without a sign load in one instruction everywhere */
  int8_t* out;
  int32_t count, at; /* rows; the output channel */
  uint32_t bias;     /* with what the 128 contribute */
} rows_t;

#define BYOC_ROW(a, i, x) ((a) + v[i] * (x)[0] + v[(i) + 1] * (x)[1] + v[(i) + 2] * (x)[2])

static BYOC_NOINLINE void rows_of_3x3(const byoc_depthwise_s8_t* p, rows_t rows, const int8_t* w) {
  const byoc_conv_s8_t* c = &p->conv;
  const byoc_requant_t r = c->requant;
  const byoc_channel_t channel = byoc_channel(&r, rows.at);
  const int32_t down = c->dilation_h * p->plane_w, stride = c->stride_w, col = c->out_col, width = c->out_w;
  const int32_t out_row = c->out_row, down_out = c->stride_h * p->plane_w;
  uint32_t v[9];
  int32_t n;
  for (n = 0; n < 9; ++n) v[n] = (uint32_t)(int32_t)w[n];
  for (; rows.count > 0; --rows.count, rows.plane += down_out, rows.out += out_row) {
    const uint8_t* x = rows.plane;
    int8_t* out = rows.out;
    n = width;
    /* Without a stride, two results share what they read. */
    for (; stride == 1 && n > 1; n -= 2, x += 2) {
      const uint8_t* y = x;
      uint32_t a = rows.bias, b = a;
      a = BYOC_ROW(a, 0, y);
      b = BYOC_ROW(b, 0, y + 1);
      y += down;
      a = BYOC_ROW(a, 3, y);
      b = BYOC_ROW(b, 3, y + 1);
      y += down;
      a = BYOC_ROW(a, 6, y);
      b = BYOC_ROW(b, 6, y + 1);
      *out = byoc_result(&r, channel, rows.at, a);
      out += col;
      *out = byoc_result(&r, channel, rows.at, b);
      out += col;
    }
    for (; n > 0; --n, x += stride, out += col) {
      const uint8_t* y = x + down;
      uint32_t a = BYOC_ROW(rows.bias, 0, x);
      a = BYOC_ROW(a, 3, y);
      y += down;
      a = BYOC_ROW(a, 6, y);
      *out = byoc_result(&r, channel, rows.at, a);
    }
  }
}

static BYOC_NOINLINE void rows_of_any(const byoc_depthwise_s8_t* p, rows_t rows, const int8_t* w) {
  const byoc_conv_s8_t* c = &p->conv;
  const byoc_requant_t r = c->requant;
  const byoc_channel_t channel = byoc_channel(&r, rows.at);
  const int32_t down = c->dilation_h * p->plane_w, step = c->dilation_w, kernel_w = c->kernel_w, col = c->out_col;
  int32_t ox, ky, kx;
  for (; rows.count > 0; --rows.count, rows.plane += c->stride_h * p->plane_w, rows.out += c->out_row) {
    int8_t* out = rows.out;
    for (ox = 0; ox < c->out_w; ++ox, out += col) {
      const uint8_t* row = rows.plane + ox * c->stride_w;
      const int8_t* v = w;
      uint32_t acc = rows.bias;
      for (ky = c->kernel_h; ky > 0; --ky, row += down) {
        const uint8_t* x = row;
        for (kx = kernel_w; kx > 0; --kx, x += step) acc += (uint32_t)(*v++ * *x);
      }
      *out = byoc_result(&r, channel, rows.at, acc);
    }
  }
}

/* Rows of the image from y on, with the border, `rows` of them. */
static void copy_plane(const byoc_depthwise_s8_t* p, const int8_t* in, int32_t y, int32_t rows, uint8_t* plane) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t inside = c->in_w < p->plane_w - c->pad_left ? c->in_w : p->plane_w - c->pad_left, col = c->in_col;
  int32_t n;
  memset(plane, (int)c->in_zero + 128, (size_t)(rows * p->plane_w));
  plane += c->pad_left;
  for (; rows > 0; --rows, ++y, plane += p->plane_w) {
    const int8_t* from = in + y * c->in_row;
    uint8_t* to = plane;
    if (y < 0 || y >= c->in_h) continue;
    for (n = inside; n > 0; --n, from += col) *to++ = (uint8_t)(*from + 128);
  }
}

static void channel_image(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, int32_t input, uint8_t* plane) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t multiplier = c->out_c / c->in_c, taps = c->kernel_h * c->kernel_w;
  const int32_t reach = (c->kernel_h - 1) * c->dilation_h + 1;
  int8_t* const unpacked = (int8_t*)plane + ((p->band_rows - 1) * c->stride_h + reach) * p->plane_w;
  rows_t rows;
  int32_t top, i;
  rows.plane = plane;
  for (top = 0; top < c->out_h; top += p->band_rows) {
    rows.out = out + top * c->out_row;
    rows.count = c->out_h - top < p->band_rows ? c->out_h - top : p->band_rows;
    copy_plane(p, in, top * c->stride_h - c->pad_top, (rows.count - 1) * c->stride_h + reach, plane);
    for (rows.at = input * multiplier; rows.at < (input + 1) * multiplier; ++rows.at, rows.out += c->out_chan) {
      const int8_t* w = byoc_weights(c->weights, rows.at * taps, taps, unpacked);
      rows.bias = (uint32_t)c->requant.bias[rows.at];
      for (i = 0; i < taps; ++i) rows.bias -= (uint32_t)(w[i] * 128);
      if (c->kernel_h == 3 && c->kernel_w == 3 && c->dilation_w == 1) {
        rows_of_3x3(p, rows, w);
      } else {
        rows_of_any(p, rows, w);
      }
    }
  }
}

void BYOC_SYMBOL(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  const byoc_conv_s8_t* c = &p->conv;
  const int32_t multiplier = c->out_c / c->in_c;
  int8_t* const start = out;
  int32_t b, g;
  for (b = 0; b < c->batch; ++b, in += c->in_batch, out += c->out_batch)
    for (g = 0; g < c->in_c; ++g)
      channel_image(p, in + g * c->in_chan, out + g * multiplier * c->out_chan, g, (uint8_t*)workspace);
  byoc_finish(&c->requant, start, c->batch * c->out_batch);
}
