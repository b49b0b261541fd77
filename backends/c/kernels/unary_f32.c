/* BYOC_FUNCTION: an expression of v, and of a and b. */
#include "byoc_unary_f32.h"

#include <math.h>

BYOC_UNARY_F32(BYOC_SYMBOL) {
  int32_t i;
  (void)a;
  (void)b;
  for (i = 0; i < count; ++i) {
    const float v = x[i];
    y[i] = BYOC_FUNCTION;
  }
}
