/* BYOC_X: int16_t, whose sums saturate, or float. */
#include "byoc_signal.h"

#if defined(BYOC_SATURATES)
static BYOC_X sum_of(BYOC_X a, BYOC_X b) {
  const int32_t sum = (int32_t)a + b;
  return (BYOC_X)(sum < -32768 ? -32768 : sum > 32767 ? 32767 : sum);
}
#else
static BYOC_X sum_of(BYOC_X a, BYOC_X b) { return a + b; }
#endif

BYOC_SIGNAL_OVERLAP_ADD(BYOC_SYMBOL, BYOC_X) {
  const int32_t left = p->size - p->step;
  int32_t row, frame, i;
  for (row = 0; row < p->rows; ++row) {
    const BYOC_X* before = sums;
    for (frame = 0; frame < p->frames; ++frame) {
      for (i = 0; i < p->step; ++i) y[i] = sum_of(before[i], x[i]);
      /* Upwards, so that both may be the same. */
      for (i = 0; i < left; ++i) next[i] = sum_of(before[i + p->step], x[i + p->step]);
      for (; i < p->size; ++i) next[i] = (BYOC_X)0;
      before = next;
      x += p->size;
      y += p->step;
    }
    sums += p->size;
    next += p->size;
  }
}
