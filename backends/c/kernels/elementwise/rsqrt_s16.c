#include "byoc_inverse_root.h"
#include "byoc_requant.h"
#include "byoc_rsqrt_s16.h"

void BYOC_SYMBOL(const byoc_rsqrt_s16_t* p, const int16_t* x, int16_t* y) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    int32_t result = INT16_MAX; /* of 0, and of what has no root */
    if (x[i] > 0) {
      int32_t q, shift;
      byoc_inverse_root(x[i], &q, &shift);
      result = byoc_multiply_q31(byoc_multiply_q31(1, q, shift + 20), p->multiplier, p->shift);
    }
    y[i] = (int16_t)byoc_clamp(result, INT16_MIN, INT16_MAX);
  }
}
