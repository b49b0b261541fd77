/* BYOC_FUNCTION: an expression of v. BYOC_X_GET(p, i) reads, BYOC_Y_PUT(p, i, v) writes an element: see byoc_small.h.
 */
#include "byoc_convert.h"

#include "byoc_small.h"

BYOC_CONVERT(BYOC_SYMBOL, BYOC_X, BYOC_Y) {
  int32_t i;
  uint32_t pending = 0;
  (void)pending;
  for (i = 0; i < count; ++i) {
    const BYOC_X_WORK v = BYOC_X_GET(x, i);
    BYOC_Y_PUT(y, i, BYOC_FUNCTION);
  }
}
