/*
 * Sums of the elements up to each one. BYOC_X: see byoc_element.h. BYOC_SUM: the type of the sums; BYOC_EXCLUSIVE: each
 * without its own element; BYOC_REVERSE: from the end; BYOC_PRODUCT: products instead.
 */
#include "byoc_axis.h"
#include "byoc_element.h"

#if defined(BYOC_PRODUCT)
#define BYOC_START 1
#define BYOC_TAKE(sum, v) ((sum) * (v))
#else
#define BYOC_START 0
#define BYOC_TAKE(sum, v) ((sum) + (v))
#endif

BYOC_AXIS(BYOC_SYMBOL, BYOC_X, BYOC_X) {
#if defined(BYOC_REVERSE)
  const byoc_offset_t first = (byoc_offset_t)(count - 1) * inner, step = -(byoc_offset_t)inner;
#else
  const byoc_offset_t first = 0, step = inner;
#endif
  int32_t o, k, i;
  for (o = 0; o < outer; ++o) {
    for (i = 0; i < inner; ++i) {
      byoc_offset_t at = (byoc_offset_t)o * count * inner + first + i;
      BYOC_SUM sum = BYOC_START;
      for (k = 0; k < count; ++k, at += step) {
#if defined(BYOC_EXCLUSIVE)
        const BYOC_SUM before = sum;
        sum = BYOC_TAKE(sum, (BYOC_SUM)BYOC_X_LOAD(x[at]));
        y[at] = BYOC_X_STORE(before);
#else
        sum = BYOC_TAKE(sum, (BYOC_SUM)BYOC_X_LOAD(x[at]));
        y[at] = BYOC_X_STORE(sum);
#endif
      }
    }
  }
}
