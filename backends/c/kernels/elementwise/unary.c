/* BYOC_FUNCTION: an expression of v, and of a and b. BYOC_X, BYOC_Y: see byoc_element.h. */
#include "byoc_unary.h"

#include "byoc_element.h"
#include "byoc_erf.h"

BYOC_UNARY(BYOC_SYMBOL, BYOC_X, BYOC_Y, BYOC_PARAMETER) {
  int32_t i;
  (void)a;
  (void)b;
  for (i = 0; i < count; ++i) {
    const BYOC_X_WORK v = BYOC_X_LOAD(x[i]);
    y[i] = BYOC_Y_STORE(BYOC_FUNCTION);
  }
}
