/* The loops of a depthwise convolution around byoc_strip_f32 and byoc_pixel_f32, which are defined before this. Needs
   BYOC_CHANNELS_LAST (0 or 1). */
#ifndef BYOC_DEPTHWISE_LOOPS_F32_H
#define BYOC_DEPTHWISE_LOOPS_F32_H

#include "byoc_depthwise_f32.h"
#include "byoc_row_taps_f32.h"
#include "byoc_taps.h"

/* Copies row `row` of `channels` channels into the ring, behind the left padding. */
static inline void byoc_fill_row(const byoc_depthwise_f32_t* p, const float* x, int32_t row, int32_t channels,
                                 float* ring) {
  const int32_t room = p->ring_width - p->pad[1];
  const int32_t width = p->in[1] < room ? p->in[1] : room;
  float* to = ring + ((ptrdiff_t)(row % p->ring_rows) * p->ring_width + p->pad[1]) * 4;
  int32_t i, c;
#if BYOC_CHANNELS_LAST
  x += (ptrdiff_t)row * p->in[1] * p->channels;
  if (channels == 4) {
    for (i = 0; i < width; ++i, x += p->channels, to += 4) {
      const float v0 = x[0], v1 = x[1], v2 = x[2], v3 = x[3];
      to[0] = v0, to[1] = v1, to[2] = v2, to[3] = v3;
    }
  } else {
    for (i = 0; i < width; ++i, x += p->channels, to += 4)
      for (c = 0; c < channels; ++c) to[c] = x[c];
  }
#else
  x += (ptrdiff_t)row * p->in[1];
  for (c = 0; c < channels; ++c, x += (ptrdiff_t)p->in[0] * p->in[1]) {
    BYOC_SCALAR_LOOP
    for (i = 0; i < width; ++i) to[4 * i + c] = x[i];
  }
#endif
}

BYOC_DEPTHWISE_F32(BYOC_SYMBOL) {
  const ptrdiff_t out_size = (ptrdiff_t)p->out[0] * p->out[1], in_size = (ptrdiff_t)p->in[0] * p->in[1];
  const ptrdiff_t row_size = (ptrdiff_t)p->ring_width * 4;
  const ptrdiff_t pixel_step = BYOC_CHANNELS_LAST ? p->channels : 1, channel_step = BYOC_CHANNELS_LAST ? 1 : out_size;
  const int32_t taps = p->kernel[0] * p->kernel[1];
  int32_t n, c, oy, ox;
  byoc_row_taps_t t;
  t.end = ring + p->ring_rows * row_size;
  t.row_step = p->dilation[0] * row_size;
  t.ring = p->ring_rows * row_size;
  t.columns = p->kernel[1];
  t.column_step = (ptrdiff_t)p->dilation[1] * 4;
  t.pixel_step = (ptrdiff_t)p->stride[1] * 4;
  for (n = 0; n < p->batch; ++n) {
    for (c = 0; c < p->channels; c += 4) {
      const int32_t left = p->channels - c, channels = left < 4 ? left : 4;
      const float* from = x + (BYOC_CHANNELS_LAST ? c : c * in_size);
      float* to = y + (BYOC_CHANNELS_LAST ? c : c * out_size);
      int32_t filled = 0;
      /* The padding stays zero while rows are written between it. */
      memset(ring, 0, (size_t)t.ring * sizeof *ring);
      for (oy = 0; oy < p->out[0]; ++oy) {
        const byoc_taps_t ty = BYOC_TAPS(p, 0, oy);
        const int32_t first = ty.start + ty.first * p->dilation[0], last = ty.start + (ty.last - 1) * p->dilation[0];
        const float* weights = w + (ptrdiff_t)(c * taps) + (ptrdiff_t)ty.first * p->kernel[1] * 4;
        t.rows = ty.last - ty.first;
        if (t.rows > 0) {
          for (filled = filled < ty.start ? ty.start : filled; filled <= last; ++filled)
            byoc_fill_row(p, from, filled, channels, ring);
          t.first = ring + (first % p->ring_rows) * row_size;
        } else {
          t.first = ring;
        }
        for (ox = 0; ox + 4 <= p->out[1]; ox += 4, to += 4 * pixel_step)
          byoc_strip_f32(&t, ox * t.pixel_step, weights, bias + c, p->bounds, channels, channel_step, pixel_step, to);
        for (; ox < p->out[1]; ++ox, to += pixel_step)
          byoc_pixel_f32(&t, ox * t.pixel_step, weights, bias + c, p->bounds, channels, channel_step, to);
      }
    }
    x += in_size * p->channels;
    y += out_size * p->channels;
  }
}

#endif
