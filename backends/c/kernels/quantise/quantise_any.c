/*
 * BYOC_QUANTISE: from BYOC_X by BYOC_S to BYOC_Y in [BYOC_LOW, BYOC_HIGH], or with BYOC_REAL to floats; otherwise from
 * BYOC_X to BYOC_S. BYOC_DIVIDE(u, v) is u / v in the precision that is asked for. See byoc_small.h.
 */
#include "byoc_nearest.h"
#include "byoc_quantise_any.h"
#include "byoc_small.h"

#if defined(BYOC_QUANTISE)
BYOC_QUANTISE_ANY(BYOC_SYMBOL, BYOC_X, BYOC_S, BYOC_Y) {
  const int32_t count = p->outer * p->axis * p->inner;
  uint32_t pending = 0;
#else
BYOC_DEQUANTISE_ANY(BYOC_SYMBOL, BYOC_X, BYOC_S) {
#endif
  int32_t o, first, a, i, n = 0;
#if defined(BYOC_QUANTISE)
  (void)count;
  (void)pending;
#endif
  for (o = 0; o < p->outer; ++o) {
    byoc_offset_t at = (byoc_offset_t)o * p->step_outer;
    for (first = 0; first < p->axis; first += p->block, at += p->step_axis) {
      const int32_t last = p->block < p->axis - first ? first + p->block : p->axis;
      for (a = first; a < last; ++a)
        for (i = 0; i < p->inner; ++i, ++n) {
          const byoc_offset_t k = at + (byoc_offset_t)i * p->step_inner;
#if defined(BYOC_QUANTISE)
          const float v = BYOC_DIVIDE((float)BYOC_X_GET(x, n), (float)BYOC_S_LOAD(scale[k]));
#if defined(BYOC_REAL)
          BYOC_Y_PUT(y, n, v + (zero ? BYOC_Y_GET(zero, k) : 0.0f));
#else
          /* Not-a-number is the least value. */
          BYOC_Y_PUT(y, n,
                     v != v ? BYOC_LOW : byoc_nearest(v, zero ? (int32_t)BYOC_Y_GET(zero, k) : 0, BYOC_LOW, BYOC_HIGH));
#endif
#else
#if defined(BYOC_REAL)
          const float steps = BYOC_X_GET(x, n) - (zero ? BYOC_X_GET(zero, k) : 0.0f);
#else
          const int64_t steps = (int64_t)BYOC_X_GET(x, n) - (zero ? (int64_t)BYOC_X_GET(zero, k) : 0);
#endif
          y[n] = BYOC_S_STORE((BYOC_S_WORK)((float)steps * (float)BYOC_S_LOAD(scale[k])));
#endif
        }
    }
  }
}
