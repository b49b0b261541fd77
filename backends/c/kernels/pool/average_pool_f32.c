/*
 * BYOC_CHANNELS_LAST: 0 or 1. BYOC_SQUARES: the root of the mean of the squares. BYOC_MANY: see byoc_sum.h; channels
 * that come last are then summed one after the other.
 */
#include "byoc_pool_four.h"
#include "byoc_sum.h"

#if defined(BYOC_SQUARES)
#define TERM(v) ((v) * (v))
#define MEAN(sum, count) sqrtf((sum) / (count))
#else
#define TERM(v) (v)
#define MEAN(sum, count) ((sum) / (count))
#endif

/* How many taps the average divides by along one dim. */
static inline int32_t divisor(const byoc_pool_t* p, int32_t dim, byoc_taps_t t) {
  int32_t last = p->kernel[dim];
  if (!p->count_pads) return t.last - t.first;
  while (last > 0 && t.start + (last - 1) * p->dilation[dim] >= p->in[dim] + p->pad_end[dim]) --last;
  return last;
}

#if BYOC_CHANNELS_LAST && !defined(BYOC_MANY)

/* All channels of one output pixel. */
static inline void pixel(const byoc_pool_t* p, const float* x, byoc_taps_t tz, byoc_taps_t ty, byoc_taps_t tx,
                         float count, float* y, byoc_bounds_f32_t bounds) {
  const int32_t channels = p->channels;
  int32_t kz, ky, kx, c;
  for (c = 0; c < channels; ++c) y[c] = 0.0f;
  for (kz = tz.first; kz < tz.last; ++kz) {
    for (ky = ty.first; ky < ty.last; ++ky) {
      const byoc_offset_t line =
          (byoc_offset_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1];
      for (kx = tx.first; kx < tx.last; ++kx) {
        const float* from = x + (line * p->in[2] + tx.start + kx * p->dilation[2]) * channels;
        for (c = 0; c < channels; ++c) y[c] += TERM(from[c]);
      }
    }
  }
  for (c = 0; c < channels; ++c) y[c] = byoc_clamp_f32(MEAN(y[c], count), bounds);
}

#else

/* The mean under one window of a channel, whose pixels are `step` elements apart. */
static inline float mean(const byoc_pool_t* p, const float* x, byoc_taps_t tz, byoc_taps_t ty, byoc_taps_t tx,
                         float count, int32_t step) {
  byoc_sum_t sum = BYOC_NO_SUM;
  int32_t kz, ky, kx;
  for (kz = tz.first; kz < tz.last; ++kz) {
    for (ky = ty.first; ky < ty.last; ++ky) {
      const byoc_offset_t line =
          (byoc_offset_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1];
      const float* from = x + (line * p->in[2] + tx.start + tx.first * p->dilation[2]) * step;
      for (kx = tx.first; kx < tx.last; ++kx, from += (byoc_offset_t)p->dilation[2] * step) byoc_add(&sum, TERM(*from));
    }
  }
  return MEAN(byoc_total(&sum), count);
}

static inline void pixel(const byoc_pool_t* p, const float* x, byoc_taps_t tz, byoc_taps_t ty, byoc_taps_t tx,
                         float count, float* y, byoc_bounds_f32_t bounds) {
#if BYOC_CHANNELS_LAST
  int32_t c;
  for (c = 0; c < p->channels; ++c) y[c] = byoc_clamp_f32(mean(p, x + c, tz, ty, tx, count, p->channels), bounds);
#else
  *y = byoc_clamp_f32(mean(p, x, tz, ty, tx, count, 1), bounds);
#endif
}

#endif

#if BYOC_CHANNELS_LAST
#define PLANES 1
#define PIXEL_STEP p->channels
#else
#define PLANES p->channels
#define PIXEL_STEP 1

#if !defined(__OPTIMIZE_SIZE__) && !defined(BYOC_MANY)
/* Four neighbouring pixels, all of whose taps lie inside along the last dim. */
static inline void four_pixels(const byoc_pool_t* p, const float* x, byoc_taps_t tz, byoc_taps_t ty, int32_t start,
                               float count, float* y, byoc_bounds_f32_t bounds) {
  float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
  const byoc_offset_t step = p->stride[2];
  int32_t kz, ky, kx;
  for (kz = tz.first; kz < tz.last; ++kz) {
    for (ky = ty.first; ky < ty.last; ++ky) {
      const float* from = x + byoc_window_row(p, tz, kz, ty, ky, start);
      for (kx = p->kernel[2]; kx > 0; --kx, from += p->dilation[2]) {
        a += TERM(from[0]), b += TERM(from[step]);
        c += TERM(from[2 * step]), d += TERM(from[3 * step]);
      }
    }
  }
  y[0] = byoc_clamp_f32(MEAN(a, count), bounds), y[1] = byoc_clamp_f32(MEAN(b, count), bounds);
  y[2] = byoc_clamp_f32(MEAN(c, count), bounds), y[3] = byoc_clamp_f32(MEAN(d, count), bounds);
}
#define FOUR_PIXELS four_pixels
#endif
#endif

void BYOC_SYMBOL(const byoc_pool_t* p, const float* x, float* y, float lo, float hi) {
  const byoc_offset_t in_size = (byoc_offset_t)p->in[0] * p->in[1] * p->in[2] * PIXEL_STEP;
  const int32_t planes = p->batch * PLANES;
  const byoc_bounds_f32_t bounds = {lo, hi};
  int32_t plane, oz, oy, ox;
  for (plane = 0; plane < planes; ++plane, x += in_size) {
    for (oz = 0; oz < p->out[0]; ++oz) {
      const byoc_taps_t tz = BYOC_TAPS(p, 0, oz);
      const int32_t count_z = divisor(p, 0, tz);
      for (oy = 0; oy < p->out[1]; ++oy) {
        const byoc_taps_t ty = BYOC_TAPS(p, 1, oy);
        const int32_t count_y = divisor(p, 1, ty);
        for (ox = 0; ox < p->out[2];) {
          const byoc_taps_t tx = BYOC_TAPS(p, 2, ox);
          const int32_t count = count_z * count_y * divisor(p, 2, tx);
          const float by = (float)(count + (count == 0)); /* nothing averages to 0 */
#if defined(FOUR_PIXELS)
          if (byoc_four_inside(p, ox)) {
            FOUR_PIXELS(p, x, tz, ty, tx.start, by, y, bounds);
            ox += 4, y += 4;
            continue;
          }
#endif
          pixel(p, x, tz, ty, tx, by, y, bounds);
          ++ox, y += PIXEL_STEP;
        }
      }
    }
  }
}
