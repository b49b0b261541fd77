/* 1 at the first of the largest elements, 0 elsewhere. BYOC_X: see byoc_element.h. y may be x. */
#include "byoc_axis.h"
#include "byoc_element.h"

BYOC_AXIS(BYOC_SYMBOL, BYOC_X, BYOC_X) {
  const byoc_offset_t size = (byoc_offset_t)count * inner;
  int32_t o, i;
  byoc_offset_t k;
  for (o = 0; o < outer; ++o, x += size, y += size) {
    for (i = 0; i < inner; ++i) {
      BYOC_X_WORK best = BYOC_X_LOAD(x[i]);
      byoc_offset_t place = i;
      for (k = i + inner; k < size; k += inner) {
        const BYOC_X_WORK v = BYOC_X_LOAD(x[k]);
        if (!BYOC_BETTER) continue;
        best = v;
        place = k;
      }
      for (k = i; k < size; k += inner) y[k] = BYOC_X_STORE(k == place ? 1 : 0);
    }
  }
}
