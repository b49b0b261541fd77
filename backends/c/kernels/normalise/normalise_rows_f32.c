/* BYOC_ABOUT_ZERO: see normalise_rows_f32_mve.c, whose sums have four parts; the rest is the same. */
#include <math.h>

#include "byoc_normalise.h"

BYOC_NORMALISE_ROWS(BYOC_SYMBOL) {
  int32_t o, k;
  for (o = 0; o < rows; ++o, x += length, y += length) {
    float pivot = 0.0f, shift = 0.0f, squares = 0.0f, factor;
#if !defined(BYOC_ABOUT_ZERO)
    float differences = 0.0f;
    pivot = x[0];
    for (k = 0; k < length; ++k) differences += x[k] - pivot;
    shift = differences / (float)length;
#endif
    for (k = 0; k < length; ++k) {
      const float away = x[k] - pivot - shift;
      squares += away * away;
    }
    factor = 1.0f / sqrtf(squares / (float)length + epsilon);
    for (k = 0; k < length; ++k) {
      const float v = (x[k] - pivot - shift) * factor * scale[k];
      y[k] = bias ? v + bias[k] : v;
    }
  }
}
