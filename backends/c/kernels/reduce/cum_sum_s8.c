#include "byoc_cum_sum_s8.h"

void BYOC_SYMBOL(const byoc_cum_sum_s8_t* p, const int8_t* x, int8_t* y) {
  const int32_t low = p->min - p->zero, high = p->max - p->zero;
  int32_t o, i, k;
  x += p->first;
  y += p->first;
  for (o = 0; o < p->outer; ++o) {
    for (i = 0; i < p->inner; ++i) {
      const int8_t* from = x + i;
      int8_t* to = y + i;
      uint32_t sum = (uint32_t)p->start;
      for (k = 0; k < p->count; ++k, from += p->step, to += p->step) {
        const uint32_t before = sum;
        sum += (uint32_t)(*from - p->in_zero) << 19;
        *to = (int8_t)(byoc_clamp(byoc_multiply_q31((int32_t)(p->exclusive ? before : sum), p->multiplier, p->shift),
                                  low, high) +
                       p->zero);
      }
    }
    x += p->count * p->inner;
    y += p->count * p->inner;
  }
}
