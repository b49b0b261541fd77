/* The loops of a depthwise convolution around byoc_strip_f32, byoc_pixel_f32, byoc_row_3x3_f32 and byoc_copy_channels,
   which are defined before this, as BYOC_COPY_PLANES may be. Needs BYOC_CHANNELS_LAST (0 or 1). */
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
  float* to = ring + ((byoc_offset_t)(row % p->ring_rows) * p->ring_width + p->pad[1]) * 4;
  int32_t i, c;
#if BYOC_CHANNELS_LAST
  x += (byoc_offset_t)row * p->in[1] * p->channels;
  if (channels == 4) {
    for (i = 0; i < width; ++i, x += p->channels, to += 4) byoc_copy_channels(to, x);
  } else {
    for (i = 0; i < width; ++i, x += p->channels, to += 4)
      for (c = 0; c < channels; ++c) to[c] = x[c];
  }
#else
  x += (byoc_offset_t)row * p->in[1];
#if defined(BYOC_COPY_PLANES)
  if (channels == 4) {
    BYOC_COPY_PLANES(to, x, (byoc_offset_t)p->in[0] * p->in[1], width);
    return;
  }
#endif
  for (c = 0; c < channels; ++c, x += (byoc_offset_t)p->in[0] * p->in[1]) {
    BYOC_SCALAR_LOOP
    for (i = 0; i < width; ++i) to[4 * i + c] = x[i];
  }
#endif
}

/* Brings the input rows of output row `oy` into the ring, of which those before `filled` are or were there, and says
   which of them its taps read. Returns the first tap that lies inside the input. */
static BYOC_NOINLINE int32_t byoc_prepare_row(const byoc_depthwise_f32_t* p, const float* x, int32_t oy,
                                              int32_t channels, float* ring, int32_t* filled, byoc_row_taps_t* t) {
  const byoc_taps_t ty = BYOC_TAPS(p, 0, oy);
  const int32_t first = ty.start + ty.first * p->dilation[0], last = ty.start + (ty.last - 1) * p->dilation[0];
  int32_t row = *filled < ty.start ? ty.start : *filled;
  t->rows = ty.last - ty.first;
  t->first = ring;
  if (t->rows <= 0) return ty.first;
  for (; row <= last; ++row) byoc_fill_row(p, x, row, channels, ring);
  *filled = row;
  t->first = ring + (first % p->ring_rows) * (byoc_offset_t)p->ring_width * 4;
  return ty.first;
}

static inline const float* byoc_next_row(const byoc_row_taps_t* t, const float* row) {
  row += t->row_step;
  return row >= t->end ? row - t->ring : row;
}

/* The `width` outputs of a row. */
static BYOC_NOINLINE void byoc_row(const byoc_row_taps_t* t, int32_t width, const float* w, const float* bias,
                                   byoc_bounds_f32_t bounds, int32_t channels, byoc_offset_t channel_step,
                                   byoc_offset_t pixel_step, float* y) {
  byoc_offset_t at = 0;
  for (; width >= 4; width -= 4, at += 4 * t->pixel_step, y += 4 * pixel_step)
    byoc_strip_f32(t, at, w, bias, bounds, channels, channel_step, pixel_step, y);
  for (; width > 0; --width, at += t->pixel_step, y += pixel_step)
    byoc_pixel_f32(t, at, w, bias, bounds, channels, channel_step, y);
}

BYOC_DEPTHWISE_F32(BYOC_SYMBOL) {
  const byoc_offset_t out_size = (byoc_offset_t)p->out[0] * p->out[1], in_size = (byoc_offset_t)p->in[0] * p->in[1];
  const byoc_offset_t row_size = (byoc_offset_t)p->ring_width * 4;
  const byoc_offset_t pixel_step = BYOC_CHANNELS_LAST ? p->channels : 1,
                      channel_step = BYOC_CHANNELS_LAST ? 1 : out_size;
  const int32_t taps = p->kernel[0] * p->kernel[1];
  int32_t n, c, oy;
  byoc_row_taps_t t;
  t.end = ring + p->ring_rows * row_size;
  t.row_step = p->dilation[0] * row_size;
  t.ring = p->ring_rows * row_size;
  t.columns = p->kernel[1];
  t.column_step = (byoc_offset_t)p->dilation[1] * 4;
  t.pixel_step = (byoc_offset_t)p->stride[1] * 4;
  for (n = 0; n < p->batch; ++n) {
    for (c = 0; c < p->channels; c += 4) {
      const int32_t left = p->channels - c, channels = left < 4 ? left : 4;
      const float* from = x + (BYOC_CHANNELS_LAST ? c : c * in_size);
      float* to = y + (BYOC_CHANNELS_LAST ? c : c * out_size);
      int32_t filled = 0;
      /* The padding stays zero while rows are written between it. */
      memset(ring, 0, (size_t)t.ring * sizeof *ring);
      for (oy = 0; oy < p->out[0]; ++oy) {
        const int32_t tap = byoc_prepare_row(p, from, oy, channels, ring, &filled, &t);
        const float* weights = w + ((byoc_offset_t)c * taps + tap * p->kernel[1] * 4);
        if (t.rows == 3 && t.columns == 3 && t.column_step == 4 && t.pixel_step == 4 && channels == 4) {
          const float *second = byoc_next_row(&t, t.first), *third = byoc_next_row(&t, second);
          byoc_row_3x3_f32(t.first, second, third, p->out[1], weights, bias + c, p->bounds, channel_step, pixel_step,
                           to);
          to += p->out[1] * pixel_step;
          continue;
        }
        byoc_row(&t, p->out[1], weights, bias + c, p->bounds, channels, channel_step, pixel_step, to);
        to += p->out[1] * pixel_step;
      }
    }
    x += in_size * p->channels;
    y += out_size * p->channels;
  }
}

#endif
