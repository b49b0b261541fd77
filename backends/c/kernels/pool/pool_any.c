/*
 * BYOC_X: see byoc_element.h. One of BYOC_AVERAGE, BYOC_LP (BYOC_P is p), BYOC_MAX, and BYOC_MAX with BYOC_INDEX.
 * A NaN is no maximum. BYOC_MANY: see byoc_sum.h.
 */
#include "byoc_element.h"
#include "byoc_pool_any.h"
#include "byoc_taps.h"
#if !defined(BYOC_MAX)
#include "byoc_sum.h"
#endif

#if defined(BYOC_AVERAGE)
/* Taps along dim d that count: those inside the input, or inside the padded input. */
static inline int32_t divisor(const byoc_pool_any_t* p, int32_t d, byoc_taps_t t) {
  int32_t last = p->kernel[d];
  if (!p->count_pads) return t.last - t.first;
  while (last > 0 && t.start + (last - 1) * p->dilation[d] >= p->in[d] + p->pad_end[d]) --last;
  return last;
}
#endif

#if defined(BYOC_LP)
static inline BYOC_T power(BYOC_T v) {
  v = v < 0 ? -v : v;
  return BYOC_P == 1 ? v : BYOC_P == 2 ? v * v : BYOC_F(pow)(v, (BYOC_T)BYOC_P);
}
#endif

#if defined(BYOC_INDEX)
BYOC_MAX_POOL_INDEX(BYOC_SYMBOL, BYOC_X) {
#else
BYOC_POOL_ANY(BYOC_SYMBOL, BYOC_X) {
#endif
  int32_t n, c, oz, oy, ox, kz, ky, kx;
  for (n = 0; n < p->batch; ++n)
    for (c = 0; c < p->channels; ++c) {
      const byoc_offset_t channel = (byoc_offset_t)n * p->x_batch + (byoc_offset_t)c * p->x_channel;
      for (oz = 0; oz < p->out[0]; ++oz) {
        const byoc_taps_t tz = BYOC_TAPS(p, 0, oz);
        for (oy = 0; oy < p->out[1]; ++oy) {
          const byoc_taps_t ty = BYOC_TAPS(p, 1, oy);
          byoc_offset_t to = (byoc_offset_t)n * p->y_batch + (byoc_offset_t)c * p->y_channel +
                             (byoc_offset_t)oz * p->y_step[0] + (byoc_offset_t)oy * p->y_step[1];
          for (ox = 0; ox < p->out[2]; ++ox, to += p->y_step[2]) {
            const byoc_taps_t tx = BYOC_TAPS(p, 2, ox);
            const byoc_offset_t step = (byoc_offset_t)p->dilation[2] * p->x_step[2];
#if defined(BYOC_MAX)
            BYOC_T best = BYOC_LOWEST;
#else
            byoc_sum_t all = BYOC_NO_SUM;
            BYOC_T sum;
#endif
#if defined(BYOC_INDEX)
            int64_t place = -1;
#endif
            for (kz = tz.first; kz < tz.last; ++kz)
              for (ky = ty.first; ky < ty.last; ++ky) {
                const int32_t iz = tz.start + kz * p->dilation[0], iy = ty.start + ky * p->dilation[1];
                const BYOC_X* from = x + channel + (byoc_offset_t)iz * p->x_step[0] + (byoc_offset_t)iy * p->x_step[1] +
                                     (byoc_offset_t)(tx.start + tx.first * p->dilation[2]) * p->x_step[2];
                for (kx = tx.first; kx < tx.last; ++kx, from += step) {
                  const BYOC_T v = BYOC_X_LOAD(*from);
#if defined(BYOC_INDEX)
                  if (v > best || (place < 0 && v >= best)) { /* NaN is neither */
                    place = channel + (int64_t)iz * index_step[0] + (int64_t)iy * index_step[1] +
                            (int64_t)(tx.start + kx * p->dilation[2]) * index_step[2];
                    best = v;
                  }
#elif defined(BYOC_MAX)
                  best = v > best ? v : best;
#elif defined(BYOC_LP)
                byoc_add(&all, power(v));
#else
                byoc_add(&all, v);
#endif
                }
              }
#if !defined(BYOC_MAX)
            sum = byoc_total(&all);
#endif
#if defined(BYOC_MAX)
            y[to] = BYOC_X_STORE(best);
#elif defined(BYOC_LP)
            y[to] = BYOC_X_STORE(BYOC_P == 1   ? sum
                                 : BYOC_P == 2 ? BYOC_F(sqrt)(sum)
                                               : BYOC_F(pow)(sum, 1 / (BYOC_T)BYOC_P));
#else
          {
            const int32_t count = divisor(p, 0, tz) * divisor(p, 1, ty) * divisor(p, 2, tx);
            y[to] = BYOC_X_STORE(count == 0 ? 0 : sum / (BYOC_T)count);
          }
#endif
#if defined(BYOC_INDEX)
            index[to] = place;
#endif
          }
        }
      }
    }
}
