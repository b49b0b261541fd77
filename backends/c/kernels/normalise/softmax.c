/* exp(x - max) / sum of these, or with BYOC_LOG its logarithm. BYOC_X: see byoc_element.h; BYOC_MANY: byoc_sum.h. */
#include "byoc_axis.h"
#include "byoc_element.h"
#include "byoc_sum.h"

BYOC_AXIS(BYOC_SYMBOL, BYOC_X, BYOC_X) {
  const byoc_offset_t size = (byoc_offset_t)count * inner;
  int32_t o, i;
  byoc_offset_t k;
  for (o = 0; o < outer; ++o, x += size, y += size) {
    for (i = 0; i < inner; ++i) {
      byoc_sum_t all = BYOC_NO_SUM;
      BYOC_T most = BYOC_X_LOAD(x[i]), sum;
      for (k = i; k < size; k += inner) {
        const BYOC_T v = BYOC_X_LOAD(x[k]);
        most = v > most ? v : most;
      }
      for (k = i; k < size; k += inner) byoc_add(&all, BYOC_F(exp)(BYOC_X_LOAD(x[k]) - most));
      sum = byoc_total(&all);
#if defined(BYOC_LOG)
      sum = BYOC_F(log)(sum);
      for (k = i; k < size; k += inner) y[k] = BYOC_X_STORE(BYOC_X_LOAD(x[k]) - most - sum);
#else
      for (k = i; k < size; k += inner) y[k] = BYOC_X_STORE(BYOC_F(exp)(BYOC_X_LOAD(x[k]) - most) / sum);
#endif
    }
  }
}
