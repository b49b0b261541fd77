/*
 * One of
 *   BYOC_REAL: BYOC_X, floats; the result is clamped.
 *   BYOC_INTEGER: BYOC_X and BYOC_W less their zero points, summed to int32.
 *   BYOC_QLINEAR: the same, with BYOC_BIAS, scaled to BYOC_Y in [BYOC_LOW, BYOC_HIGH].
 * Group by group, and of a group all results of a pixel together: those of another may lie over its elements.
 */
#include "byoc_conv_any.h"
#include "byoc_element.h"
#include "byoc_nearest.h"
#include "byoc_taps.h"

#if defined(BYOC_REAL)
typedef BYOC_T sum_t;
typedef BYOC_X weight_t;
#define TERM(x, w) (BYOC_X_LOAD(x) * BYOC_X_LOAD(w))
#else
/* Sums wrap around. */
typedef uint32_t sum_t;
typedef BYOC_W weight_t;
#define TERM(x, w) ((uint32_t)((int32_t)(x) - x_zero) * (uint32_t)((int32_t)(w) - w_zero))
#endif

static inline sum_t pixel(const byoc_conv_any_t* p, const BYOC_X* x, const weight_t* w, byoc_taps_t tz, byoc_taps_t ty,
                          byoc_taps_t tx, int32_t x_zero, int32_t w_zero) {
  const int32_t x_tap = p->dilation[2] * p->x_step[2], w_tap = p->w_step[2];
  sum_t sum = 0;
  int32_t i, kz, ky, kx;
  (void)x_zero;
  (void)w_zero;
  x += (byoc_offset_t)(tx.start + tx.first * p->dilation[2]) * p->x_step[2];
  w += (byoc_offset_t)tx.first * w_tap;
  for (i = 0; i < p->in_channels; ++i, x += p->x_channel, w += p->w_in)
    for (kz = tz.first; kz < tz.last; ++kz)
      for (ky = ty.first; ky < ty.last; ++ky) {
        const BYOC_X* from = x + (byoc_offset_t)(tz.start + kz * p->dilation[0]) * p->x_step[0] +
                             (byoc_offset_t)(ty.start + ky * p->dilation[1]) * p->x_step[1];
        const weight_t* weight = w + (byoc_offset_t)kz * p->w_step[0] + (byoc_offset_t)ky * p->w_step[1];
        for (kx = tx.first; kx < tx.last; ++kx, from += x_tap, weight += w_tap) sum += TERM(*from, *weight);
      }
  return sum;
}

#if defined(BYOC_REAL)
BYOC_CONV_REAL(BYOC_SYMBOL, BYOC_X, BYOC_T) {
  const int32_t x_zero = 0, w_zero = 0;
#elif defined(BYOC_INTEGER)
BYOC_CONV_INTEGER(BYOC_SYMBOL, BYOC_X, BYOC_W) {
  const int32_t x_zero_of_all = x_zero ? (int32_t)*x_zero : 0;
#else
BYOC_CONV_QLINEAR(BYOC_SYMBOL, BYOC_X, BYOC_W, BYOC_Y, BYOC_BIAS) {
#endif
  int32_t n, g, o, oz, oy, ox;
  for (n = 0; n < p->batch; ++n)
    for (g = 0; g < p->groups; ++g) {
      const BYOC_X* image = x + (byoc_offset_t)n * p->x_batch + (byoc_offset_t)g * p->in_channels * p->x_channel;
      for (oz = 0; oz < p->out[0]; ++oz) {
        const byoc_taps_t tz = BYOC_TAPS(p, 0, oz);
        for (oy = 0; oy < p->out[1]; ++oy) {
          const byoc_taps_t ty = BYOC_TAPS(p, 1, oy);
          for (ox = 0; ox < p->out[2]; ++ox) {
            const byoc_taps_t tx = BYOC_TAPS(p, 2, ox);
            for (o = g * p->out_channels; o < (g + 1) * p->out_channels; ++o) {
              const weight_t* filter = w + (byoc_offset_t)o * p->w_out;
              const byoc_offset_t at = (byoc_offset_t)n * p->y_batch + (byoc_offset_t)o * p->y_channel +
                                       (byoc_offset_t)oz * p->y_step[0] + (byoc_offset_t)oy * p->y_step[1] +
                                       (byoc_offset_t)ox * p->y_step[2];
#if defined(BYOC_REAL)
              const BYOC_T shift = bias ? (BYOC_T)BYOC_X_LOAD(bias[o]) : 0;
              BYOC_T v = pixel(p, image, filter, tz, ty, tx, x_zero, w_zero) + shift;
              v = v < least ? least : v > most ? most : v;
              y[at] = BYOC_X_STORE(v);
#elif defined(BYOC_INTEGER)
              const int32_t zero = w_zero ? (int32_t)w_zero[(byoc_offset_t)o * w_zero_step] : 0;
              y[at] = (int32_t)pixel(p, image, filter, tz, ty, tx, x_zero_of_all, zero);
#else
              const int32_t zero = (int32_t)w_zero[(byoc_offset_t)o * steps->w_zero_step];
              const float scale = *x_scale * w_scale[(byoc_offset_t)o * steps->w_scale_step] / *y_scale;
              const uint32_t shift = bias ? (uint32_t)bias[o] : 0;
              const int32_t sum = (int32_t)(pixel(p, image, filter, tz, ty, tx, (int32_t)*x_zero, zero) + shift);
              y[at] = (BYOC_Y)byoc_nearest((float)sum * scale, (int32_t)*y_zero, BYOC_LOW, BYOC_HIGH);
#endif
            }
          }
        }
      }
    }
}
