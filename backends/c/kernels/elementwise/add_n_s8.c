#include "byoc_add_n_s8.h"

void BYOC_SYMBOL(const byoc_add_n_s8_t* p, const int8_t* const* in, int8_t* out) {
  /* The reference begins with an operand of integers 0. */
  const uint32_t first = (uint32_t)byoc_multiply_q31(-p->in_zero * ((int32_t)1 << 20), p->half, p->half_shift);
  int32_t i, k;
  for (i = 0; i < p->count; ++i) {
    uint32_t sum = first;
    int32_t y;
    for (k = 0; k < p->inputs; ++k)
      sum += (uint32_t)byoc_multiply_q31((in[k][i] - p->in_zero) * ((int32_t)1 << 20), p->half, p->half_shift);
    y = byoc_multiply_q31((int32_t)sum, p->multiplier, p->shift);
    out[i] = (int8_t)(byoc_clamp(y, -128 - p->zero, 127 - p->zero) + p->zero);
  }
}
