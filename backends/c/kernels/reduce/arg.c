/* The place of an element that BYOC_BETTER, an expression of v and best, puts before all others. BYOC_X: see
   byoc_element.h. */
#include "byoc_axis.h"
#include "byoc_element.h"

BYOC_AXIS(BYOC_SYMBOL, BYOC_X, int64_t) {
  int32_t o, k, i;
  for (o = 0; o < outer; ++o, x += (byoc_offset_t)count * inner) {
    for (i = 0; i < inner; ++i) {
      const BYOC_X* from = x + i;
      BYOC_X_WORK best = BYOC_X_LOAD(*from);
      int32_t place = 0;
      for (k = 1; k < count; ++k) {
        BYOC_X_WORK v;
        from += inner;
        v = BYOC_X_LOAD(*from);
        if (BYOC_BETTER) {
          best = v;
          place = k;
        }
      }
      *y++ = place;
    }
  }
}
