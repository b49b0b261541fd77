/* The loops of a convolution around byoc_block_f32. Needs BYOC_CHANNELS_LAST (0 or 1) and a block_f32*.h before it. */
#ifndef BYOC_CONV_LOOPS_F32_H
#define BYOC_CONV_LOOPS_F32_H

#include "byoc_conv_f32.h"
#include "byoc_taps.h"

static inline float* byoc_fill_column(float* to, int32_t count) {
  BYOC_SCALAR_LOOP
  for (; count > 0; --count, to += BYOC_BLOCK_PIXELS) *to = 0.0f;
  return to;
}

static inline float* byoc_copy_column(float* to, const float* from, int32_t count, ptrdiff_t step) {
  BYOC_SCALAR_LOOP
  for (; count > 0; --count, to += BYOC_BLOCK_PIXELS, from += step) *to = *from;
  return to;
}

#if BYOC_CHANNELS_LAST

/* One pixel's patch into a column of the block. x: the first channel of the group. */
static inline void byoc_gather_pixel(const byoc_conv_f32_t* p, const float* x, int32_t pixel, float* to) {
  const int32_t channels = p->in_channels, all = channels * p->groups;
  const int32_t line = pixel / p->out[2], plane = line / p->out[1];
  const byoc_taps_t tz = BYOC_TAPS(p, 0, plane);
  const byoc_taps_t ty = BYOC_TAPS(p, 1, line - plane * p->out[1]);
  const byoc_taps_t tx = BYOC_TAPS(p, 2, pixel - line * p->out[2]);
  const int32_t row = p->kernel[2] * channels;
  int32_t kz, ky, kx;
  for (kz = 0; kz < p->kernel[0]; ++kz) {
    for (ky = 0; ky < p->kernel[1]; ++ky) {
      const float* from;
      if (kz < tz.first || kz >= tz.last || ky < ty.first || ky >= ty.last || tx.first >= tx.last) {
        to = byoc_fill_column(to, row);
        continue;
      }
      from = x + (((ptrdiff_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1]) * p->in[2] +
                  tx.start + tx.first * p->dilation[2]) *
                     all;
      to = byoc_fill_column(to, tx.first * channels);
      if (p->dilation[2] == 1 && p->groups == 1) {
        to = byoc_copy_column(to, from, (tx.last - tx.first) * channels, 1);
      } else {
        for (kx = tx.first; kx < tx.last; ++kx, from += (ptrdiff_t)all * p->dilation[2])
          to = byoc_copy_column(to, from, channels, 1);
      }
      to = byoc_fill_column(to, (p->kernel[2] - tx.last) * channels);
    }
  }
}

#else

static inline void byoc_gather_pixel(const byoc_conv_f32_t* p, const float* x, int32_t pixel, float* to) {
  const int32_t line = pixel / p->out[2], plane = line / p->out[1];
  const byoc_taps_t tz = BYOC_TAPS(p, 0, plane);
  const byoc_taps_t ty = BYOC_TAPS(p, 1, line - plane * p->out[1]);
  const byoc_taps_t tx = BYOC_TAPS(p, 2, pixel - line * p->out[2]);
  const ptrdiff_t size = (ptrdiff_t)p->in[0] * p->in[1] * p->in[2];
  int32_t c, kz, ky;
  for (c = 0; c < p->in_channels; ++c, x += size) {
    for (kz = 0; kz < p->kernel[0]; ++kz) {
      for (ky = 0; ky < p->kernel[1]; ++ky) {
        const float* from;
        if (kz < tz.first || kz >= tz.last || ky < ty.first || ky >= ty.last || tx.first >= tx.last) {
          to = byoc_fill_column(to, p->kernel[2]);
          continue;
        }
        from = x +
               ((ptrdiff_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1]) * p->in[2] +
               tx.start + tx.first * p->dilation[2];
        to = byoc_fill_column(to, tx.first);
        to = byoc_copy_column(to, from, tx.last - tx.first, p->dilation[2]);
        to = byoc_fill_column(to, p->kernel[2] - tx.last);
      }
    }
  }
}

#endif

/* True where output pixel i reads input pixel i and nothing else. */
static inline int byoc_is_pointwise(const byoc_conv_f32_t* p) {
  int32_t d;
  for (d = 0; d < 3; ++d)
    if (p->kernel[d] != 1 || p->stride[d] != 1 || p->pad[d] != 0 || p->in[d] != p->out[d]) return 0;
  return 1;
}

/* All output channels of a group for one block of pixels. y: the first pixel's first channel. */
static inline void byoc_conv_pixels(const byoc_conv_f32_t* p, const float* x, ptrdiff_t stride, int32_t depth,
                                    const float* w, const float* bias, int32_t pixels, ptrdiff_t channel_step,
                                    ptrdiff_t pixel_step, float* y) {
  int32_t c;
  for (c = 0; c < p->out_channels; c += BYOC_BLOCK_CHANNELS) {
    const int32_t left = p->out_channels - c;
    byoc_block_f32(depth, x, stride, w, bias + c, p->bounds, left < BYOC_BLOCK_CHANNELS ? left : BYOC_BLOCK_CHANNELS,
                   pixels, channel_step, pixel_step, y);
    w += (ptrdiff_t)depth * BYOC_BLOCK_CHANNELS;
    y += channel_step * BYOC_BLOCK_CHANNELS;
  }
}

BYOC_CONV_F32(BYOC_SYMBOL) {
  const int32_t depth = p->in_channels * p->kernel[0] * p->kernel[1] * p->kernel[2];
  const int32_t out_size = p->out[0] * p->out[1] * p->out[2];
  const int32_t in_size = p->in[0] * p->in[1] * p->in[2];
  const int32_t packed = (p->out_channels + BYOC_BLOCK_CHANNELS - 1) / BYOC_BLOCK_CHANNELS * BYOC_BLOCK_CHANNELS;
  const int32_t all = p->out_channels * p->groups;
  const int direct = !BYOC_CHANNELS_LAST && byoc_is_pointwise(p);
  int32_t n, g, first, i;
  for (n = 0; n < p->batch; ++n) {
    for (g = 0; g < p->groups; ++g) {
      const float* from = x + (BYOC_CHANNELS_LAST ? g * p->in_channels : (ptrdiff_t)g * p->in_channels * in_size);
      float* to = y + (BYOC_CHANNELS_LAST ? g * p->out_channels : (ptrdiff_t)g * p->out_channels * out_size);
      const ptrdiff_t pixel_step = BYOC_CHANNELS_LAST ? all : 1, channel_step = BYOC_CHANNELS_LAST ? 1 : out_size;
      for (first = 0; first < out_size; first += BYOC_BLOCK_PIXELS) {
        const int32_t left = out_size - first, pixels = left < BYOC_BLOCK_PIXELS ? left : BYOC_BLOCK_PIXELS;
        const int in_place = direct && pixels == BYOC_BLOCK_PIXELS;
        if (!in_place) {
          /* Columns beyond the last pixel repeat it. */
          for (i = 0; i < BYOC_BLOCK_PIXELS; ++i)
            byoc_gather_pixel(p, from, first + (i < pixels ? i : pixels - 1), patch + i);
        }
        byoc_conv_pixels(p, in_place ? from + first : patch, in_place ? in_size : BYOC_BLOCK_PIXELS, depth,
                         w + (ptrdiff_t)g * packed * depth, bias + g * packed, pixels, channel_step, pixel_step,
                         to + first * pixel_step);
      }
    }
    x += (ptrdiff_t)in_size * p->in_channels * p->groups;
    y += (ptrdiff_t)out_size * all;
  }
}

#endif
