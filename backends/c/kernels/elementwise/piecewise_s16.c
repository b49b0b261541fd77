#include "byoc_piecewise_s16.h"

void BYOC_SYMBOL(const byoc_piecewise_s16_t* p, const int16_t* x, int16_t* y) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    const int32_t v = x[i];
    const byoc_side_t* side = v < 0 ? &p->below : &p->above;
    const int32_t result = byoc_multiply_q31(v < 0 && p->flip ? -v : v, side->multiplier, side->shift);
    y[i] = (int16_t)byoc_clamp(result, p->min, p->max);
  }
}
