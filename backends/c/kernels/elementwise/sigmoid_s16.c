/* BYOC_TANH: the hyperbolic tangent instead of the logistic function. y may be x. */
#include "byoc_sigmoid_s16.h"

void BYOC_SYMBOL(const byoc_sigmoid_s16_t* p, const int16_t* x, int16_t* y) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    const int64_t at = byoc_table_position(x[i], p->multiplier, p->shift);
#if defined(BYOC_TANH)
    y[i] = byoc_tanh_at(p->table, at);
#else
    y[i] = byoc_sigmoid_at(p->table, at);
#endif
  }
}
