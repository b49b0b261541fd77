/* The loops of a convolution around byoc_block_f32. Needs BYOC_CHANNELS_LAST (0 or 1), and a byoc_block_f32*.h and a
   byoc_columns_f32*.h before it, which may define BYOC_COPY_LINE(to, from, count). */
#ifndef BYOC_CONV_LOOPS_F32_H
#define BYOC_CONV_LOOPS_F32_H

#include "byoc_conv_f32.h"
#include "byoc_taps.h"

/* Where the taps of an output pixel's plane and line meet the input. */
typedef struct {
  byoc_taps_t z, y;
} byoc_line_taps_t;

static inline byoc_line_taps_t byoc_line_taps(const byoc_conv_f32_t* p, int32_t line) {
  const int32_t plane = line / p->out[1];
  byoc_line_taps_t t;
  t.z = BYOC_TAPS(p, 0, plane);
  t.y = BYOC_TAPS(p, 1, line - plane * p->out[1]);
  return t;
}

/* The input line that tap (kz, ky) reads, or NULL where it is padding. */
static inline const float* byoc_input_line(const byoc_conv_f32_t* p, const float* x, const byoc_line_taps_t* t,
                                           int32_t kz, int32_t ky, byoc_offset_t line_size) {
  if (kz < t->z.first || kz >= t->z.last || ky < t->y.first || ky >= t->y.last) return NULL;
  return x +
         ((byoc_offset_t)(t->z.start + kz * p->dilation[0]) * p->in[1] + t->y.start + ky * p->dilation[1]) * line_size;
}

#if BYOC_CHANNELS_LAST

/* The patches of `count` neighbours of an output line, from column `column` of it, each into a column of the block.
   x: the first channel of the group. */
static inline void byoc_gather(const byoc_conv_f32_t* p, const float* x, int32_t line, int32_t column, int32_t count,
                               float* patch) {
  const int32_t channels = p->in_channels, all = channels * p->groups, row = p->kernel[2] * channels;
  const byoc_line_taps_t t = byoc_line_taps(p, line);
  const int dense = p->dilation[2] == 1 && p->groups == 1;
  int32_t i, kz, ky, kx;
  for (i = 0; i < count; ++i) {
    const byoc_taps_t tx = BYOC_TAPS(p, 2, column + i);
    float* to = patch + i;
    for (kz = 0; kz < p->kernel[0]; ++kz) {
      for (ky = 0; ky < p->kernel[1]; ++ky) {
        const float* from = byoc_input_line(p, x, &t, kz, ky, (byoc_offset_t)p->in[2] * all);
        if (!from || tx.first >= tx.last) {
          to = byoc_fill_column(to, row);
          continue;
        }
        from += (tx.start + tx.first * p->dilation[2]) * all;
        to = byoc_fill_column(to, tx.first * channels);
        if (dense) {
          to = byoc_copy_column(to, from, (tx.last - tx.first) * channels);
        } else {
          for (kx = tx.first; kx < tx.last; ++kx, from += (byoc_offset_t)all * p->dilation[2])
            to = byoc_copy_column(to, from, channels);
        }
        to = byoc_fill_column(to, (p->kernel[2] - tx.last) * channels);
      }
    }
  }
}

#else

/* One tap of `count` pixels from all channels; `from` is the first pixel's, `step` the distance of the next. Pixels
   outside [first, last) read padding. */
static inline void byoc_gather_tap(const float* from, byoc_offset_t channel, int32_t channels, int32_t step,
                                   int32_t count, int32_t first, int32_t last, float* to, byoc_offset_t next) {
  int32_t c, i;
  if (first == 0 && last == BYOC_BLOCK_PIXELS && step == 1) {
    for (c = channels; c > 0; --c, from += channel, to += next) byoc_copy_pixels(to, from);
    return;
  }
  for (c = channels; c > 0; --c, from += channel, to += next) {
    for (i = 0; i < first; ++i) to[i] = 0.0f;
#if defined(BYOC_COPY_LINE)
    if (step == 1 && i < last) {
      BYOC_COPY_LINE(to + i, from + i, last - i);
      i = last;
    }
#endif
    for (; i < last; ++i) to[i] = from[(byoc_offset_t)i * step];
    for (; i < count; ++i) to[i] = 0.0f;
  }
}

static inline void byoc_gather(const byoc_conv_f32_t* p, const float* x, int32_t line, int32_t column, int32_t count,
                               float* patch) {
  const byoc_line_taps_t t = byoc_line_taps(p, line);
  const byoc_offset_t size = (byoc_offset_t)p->in[0] * p->in[1] * p->in[2];
  const byoc_offset_t next = (byoc_offset_t)p->kernel[0] * p->kernel[1] * p->kernel[2] * BYOC_BLOCK_PIXELS;
  const int32_t step = p->stride[2];
  int32_t kz, ky, kx;
  for (kz = 0; kz < p->kernel[0]; ++kz) {
    for (ky = 0; ky < p->kernel[1]; ++ky) {
      const float* row = byoc_input_line(p, x, &t, kz, ky, p->in[2]);
      for (kx = 0; kx < p->kernel[2]; ++kx, patch += BYOC_BLOCK_PIXELS) {
        const int32_t start = column * step - p->pad[2] + kx * p->dilation[2];
        int32_t first = 0, last = count;
        while (first < count && start + first * step < 0) ++first;
        while (last > first && start + (last - 1) * step >= p->in[2]) --last;
        if (!row) last = first;
        byoc_gather_tap(row ? row + start : x, size, p->in_channels, step, count, first, last, patch, next);
      }
    }
  }
}

#endif

/* The patches of `count` output pixels from `pixel` on, which may span several lines. */
static inline void byoc_gather_pixels(const byoc_conv_f32_t* p, const float* x, int32_t pixel, int32_t count,
                                      float* patch) {
  int32_t line = pixel / p->out[2], column = pixel - line * p->out[2];
  while (count > 0) {
    const int32_t room = p->out[2] - column, part = count < room ? count : room;
    byoc_gather(p, x, line, column, part, patch);
    patch += part;
    count -= part;
    column = 0;
    ++line;
  }
}

/* True where output pixel i reads input pixel i and nothing else. */
static inline int byoc_is_pointwise(const byoc_conv_f32_t* p) {
  int32_t d;
  for (d = 0; d < 3; ++d)
    if (p->kernel[d] != 1 || p->stride[d] != 1 || p->pad[d] != 0 || p->in[d] != p->out[d]) return 0;
  return 1;
}

/* All output channels of a group for one block of pixels. y: the first pixel's first channel. */
static inline void byoc_conv_pixels(const byoc_conv_f32_t* p, const float* x, byoc_offset_t stride, int32_t depth,
                                    const float* w, const float* bias, int32_t pixels, byoc_offset_t channel_step,
                                    byoc_offset_t pixel_step, float* y) {
  int32_t c;
  for (c = 0; c < p->out_channels; c += BYOC_BLOCK_CHANNELS) {
    const int32_t left = p->out_channels - c;
    byoc_block_f32(depth, x, stride, w, bias + c, p->bounds, left < BYOC_BLOCK_CHANNELS ? left : BYOC_BLOCK_CHANNELS,
                   pixels, channel_step, pixel_step, y);
    w += (byoc_offset_t)depth * BYOC_BLOCK_CHANNELS;
    y += channel_step * BYOC_BLOCK_CHANNELS;
  }
}

/* Gathers the patches of a pointwise convolution, which are the pixels' channels. */
static inline void byoc_gather_channels(const byoc_conv_f32_t* p, const float* x, int32_t pixel, int32_t count,
                                        float* patch) {
#if BYOC_CHANNELS_LAST
  const byoc_offset_t all = (byoc_offset_t)p->in_channels * p->groups;
  int32_t i;
  for (i = 0; i < count; ++i) byoc_copy_column(patch + i, x + (pixel + i) * all, p->in_channels);
#else
  byoc_gather_pixels(p, x, pixel, count, patch);
#endif
}

BYOC_CONV_F32(BYOC_SYMBOL) {
  const int32_t depth = p->in_channels * p->kernel[0] * p->kernel[1] * p->kernel[2];
  const int32_t out_size = p->out[0] * p->out[1] * p->out[2];
  const int32_t in_size = p->in[0] * p->in[1] * p->in[2];
  const int32_t packed = (p->out_channels + BYOC_BLOCK_CHANNELS - 1) / BYOC_BLOCK_CHANNELS * BYOC_BLOCK_CHANNELS;
  const int32_t all = p->out_channels * p->groups;
  const int pointwise = byoc_is_pointwise(p);
  int32_t n, g, first;
  for (n = 0; n < p->batch; ++n) {
    for (g = 0; g < p->groups; ++g) {
      const float* from = x + (BYOC_CHANNELS_LAST ? g * p->in_channels : (byoc_offset_t)g * p->in_channels * in_size);
      float* to = y + (BYOC_CHANNELS_LAST ? g * p->out_channels : (byoc_offset_t)g * p->out_channels * out_size);
      const byoc_offset_t pixel_step = BYOC_CHANNELS_LAST ? all : 1, channel_step = BYOC_CHANNELS_LAST ? 1 : out_size;
      for (first = 0; first < out_size; first += BYOC_BLOCK_PIXELS) {
        const int32_t left = out_size - first, pixels = left < BYOC_BLOCK_PIXELS ? left : BYOC_BLOCK_PIXELS;
        const int in_place = !BYOC_CHANNELS_LAST && pointwise && pixels == BYOC_BLOCK_PIXELS;
        if (!in_place) {
          /* Columns beyond the last pixel are computed but not stored. */
          if (pixels < BYOC_BLOCK_PIXELS) memset(patch, 0, (size_t)depth * BYOC_BLOCK_PIXELS * sizeof *patch);
          if (pointwise) {
            byoc_gather_channels(p, from, first, pixels, patch);
          } else {
            byoc_gather_pixels(p, from, first, pixels, patch);
          }
        }
        byoc_conv_pixels(p, in_place ? from + first : patch, in_place ? in_size : BYOC_BLOCK_PIXELS, depth,
                         w + (byoc_offset_t)g * packed * depth, bias + g * packed, pixels, channel_step, pixel_step,
                         to + first * pixel_step);
      }
    }
    x += (byoc_offset_t)in_size * p->in_channels * p->groups;
    y += (byoc_offset_t)out_size * all;
  }
}

#endif
