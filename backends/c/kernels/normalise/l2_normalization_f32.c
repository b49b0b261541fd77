#include "byoc_l2_normalization.h"

#include <math.h>

void BYOC_SYMBOL(int32_t rows, int32_t depth, const float* x, float* y) {
  int32_t r, i;
  for (r = 0; r < rows; ++r, x += depth, y += depth) {
    float sum = 0.0f, length;
    for (i = 0; i < depth; ++i) sum += x[i] * x[i];
    length = sqrtf(sum);
    if (length < 1e-6f) length = 1e-6f;
    for (i = 0; i < depth; ++i) y[i] = x[i] / length;
  }
}
