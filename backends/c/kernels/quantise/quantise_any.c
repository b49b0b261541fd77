/*
 * BYOC_QUANTISE: from BYOC_X by BYOC_S to BYOC_Y in [BYOC_LOW, BYOC_HIGH]; otherwise from BYOC_X to BYOC_S. See
 * byoc_element.h.
 */
#include "byoc_element.h"
#include "byoc_nearest.h"
#include "byoc_quantise_any.h"

#if defined(BYOC_QUANTISE)
BYOC_QUANTISE_ANY(BYOC_SYMBOL, BYOC_X, BYOC_S, BYOC_Y) {
#else
BYOC_DEQUANTISE_ANY(BYOC_SYMBOL, BYOC_X, BYOC_S) {
#endif
  int32_t o, first, a, i;
  for (o = 0; o < p->outer; ++o) {
    ptrdiff_t at = (ptrdiff_t)o * p->step_outer;
    for (first = 0; first < p->axis; first += p->block, at += p->step_axis) {
      const int32_t last = p->block < p->axis - first ? first + p->block : p->axis;
      for (a = first; a < last; ++a)
        for (i = 0; i < p->inner; ++i, ++x, ++y) {
          const ptrdiff_t k = at + (ptrdiff_t)i * p->step_inner;
#if defined(BYOC_QUANTISE)
          const float v = (float)BYOC_X_LOAD(*x) / (float)BYOC_S_LOAD(scale[k]);
          /* Not-a-number is the least value. */
          *y = (BYOC_Y)(v != v ? BYOC_LOW : byoc_nearest(v, zero ? (int32_t)zero[k] : 0, BYOC_LOW, BYOC_HIGH));
#else
          const int64_t steps = (int64_t)*x - (zero ? (int64_t)zero[k] : 0);
          *y = BYOC_S_STORE((BYOC_S_WORK)((float)steps * (float)BYOC_S_LOAD(scale[k])));
#endif
        }
    }
  }
}
