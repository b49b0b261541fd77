/* BYOC_MANY: see byoc_sum.h. */
#include "byoc_l2_normalization.h"

#include <math.h>

#include "byoc_sum.h"

void BYOC_SYMBOL(int32_t rows, int32_t depth, const float* x, float* y) {
  int32_t r, i;
  for (r = 0; r < rows; ++r, x += depth, y += depth) {
    byoc_sum_t sum = BYOC_NO_SUM;
    float length;
    for (i = 0; i < depth; ++i) byoc_add(&sum, x[i] * x[i]);
    length = sqrtf(byoc_total(&sum));
    if (length < 1e-6f) length = 1e-6f;
    for (i = 0; i < depth; ++i) y[i] = x[i] / length;
  }
}
