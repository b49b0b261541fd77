/* BYOC_ELEMENT: the element type; BYOC_LOWEST: what every element is at least; BYOC_CHANNELS_LAST: 0 or 1. */
#include "byoc_pool_four.h"

#define CLAMP(v) ((v) < lo ? lo : (v) > hi ? hi : (v))

#if BYOC_CHANNELS_LAST

/* All channels of one output pixel. */
static inline void pixel(const byoc_pool_t* p, const BYOC_ELEMENT* x, byoc_taps_t tz, byoc_taps_t ty, byoc_taps_t tx,
                         BYOC_ELEMENT* y, BYOC_ELEMENT lo, BYOC_ELEMENT hi) {
  const int32_t channels = p->channels;
  int32_t kz, ky, kx, c;
  for (c = 0; c < channels; ++c) y[c] = BYOC_LOWEST;
  for (kz = tz.first; kz < tz.last; ++kz) {
    for (ky = ty.first; ky < ty.last; ++ky) {
      const byoc_offset_t line =
          (byoc_offset_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1];
      for (kx = tx.first; kx < tx.last; ++kx) {
        const BYOC_ELEMENT* from = x + (line * p->in[2] + tx.start + kx * p->dilation[2]) * channels;
        for (c = 0; c < channels; ++c) y[c] = from[c] > y[c] ? from[c] : y[c];
      }
    }
  }
  for (c = 0; c < channels; ++c) y[c] = CLAMP(y[c]);
}

#define PLANES 1
#define PIXEL_STEP p->channels

#else

static inline void pixel(const byoc_pool_t* p, const BYOC_ELEMENT* x, byoc_taps_t tz, byoc_taps_t ty, byoc_taps_t tx,
                         BYOC_ELEMENT* y, BYOC_ELEMENT lo, BYOC_ELEMENT hi) {
  BYOC_ELEMENT most = BYOC_LOWEST;
  int32_t kz, ky, kx;
  for (kz = tz.first; kz < tz.last; ++kz) {
    for (ky = ty.first; ky < ty.last; ++ky) {
      const byoc_offset_t line =
          (byoc_offset_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1];
      const BYOC_ELEMENT* from = x + line * p->in[2] + tx.start + tx.first * p->dilation[2];
      for (kx = tx.first; kx < tx.last; ++kx, from += p->dilation[2]) most = *from > most ? *from : most;
    }
  }
  *y = CLAMP(most);
}

#define PLANES p->channels
#define PIXEL_STEP 1

#if !defined(__OPTIMIZE_SIZE__)
/* Four neighbouring pixels, all of whose taps lie inside along the last dim. */
static inline void four_pixels(const byoc_pool_t* p, const BYOC_ELEMENT* x, byoc_taps_t tz, byoc_taps_t ty,
                               int32_t start, BYOC_ELEMENT* y, BYOC_ELEMENT lo, BYOC_ELEMENT hi) {
  BYOC_ELEMENT a = BYOC_LOWEST, b = BYOC_LOWEST, c = BYOC_LOWEST, d = BYOC_LOWEST;
  const byoc_offset_t step = p->stride[2];
  int32_t kz, ky, kx;
  for (kz = tz.first; kz < tz.last; ++kz) {
    for (ky = ty.first; ky < ty.last; ++ky) {
      const BYOC_ELEMENT* from = x + byoc_window_row(p, tz, kz, ty, ky, start);
      for (kx = p->kernel[2]; kx > 0; --kx, from += p->dilation[2]) {
        a = from[0] > a ? from[0] : a;
        b = from[step] > b ? from[step] : b;
        c = from[2 * step] > c ? from[2 * step] : c;
        d = from[3 * step] > d ? from[3 * step] : d;
      }
    }
  }
  y[0] = CLAMP(a), y[1] = CLAMP(b), y[2] = CLAMP(c), y[3] = CLAMP(d);
}
#define FOUR_PIXELS four_pixels
#endif

#endif

void BYOC_SYMBOL(const byoc_pool_t* p, const BYOC_ELEMENT* x, BYOC_ELEMENT* y, BYOC_ELEMENT lo, BYOC_ELEMENT hi) {
  const byoc_offset_t in_size = (byoc_offset_t)p->in[0] * p->in[1] * p->in[2] * PIXEL_STEP;
  const int32_t planes = p->batch * PLANES;
  int32_t plane, oz, oy, ox;
  for (plane = 0; plane < planes; ++plane, x += in_size) {
    for (oz = 0; oz < p->out[0]; ++oz) {
      const byoc_taps_t tz = BYOC_TAPS(p, 0, oz);
      for (oy = 0; oy < p->out[1]; ++oy) {
        const byoc_taps_t ty = BYOC_TAPS(p, 1, oy);
        for (ox = 0; ox < p->out[2];) {
#if defined(FOUR_PIXELS)
          if (byoc_four_inside(p, ox)) {
            FOUR_PIXELS(p, x, tz, ty, ox * p->stride[2] - p->pad[2], y, lo, hi);
            ox += 4, y += 4;
            continue;
          }
#endif
          pixel(p, x, tz, ty, BYOC_TAPS(p, 2, ox), y, lo, hi);
          ++ox, y += PIXEL_STEP;
        }
      }
    }
  }
}
