/* BYOC_MANY: see byoc_sum.h. */
#include "byoc_exp_f32.h"
#include "byoc_softmax_f32.h"
#include "byoc_sum.h"

void BYOC_SYMBOL(int32_t outer, int32_t count, int32_t inner, float beta, const float* x, float* y) {
  int32_t o, i;
  byoc_offset_t k;
  const byoc_offset_t size = (byoc_offset_t)count * inner;
  for (o = 0; o < outer; ++o, x += size, y += size) {
    for (i = 0; i < inner; ++i) {
      byoc_sum_t all = BYOC_NO_SUM;
      float most = x[i], sum;
      for (k = i; k < size; k += inner) most = x[k] > most ? x[k] : most;
      for (k = i; k < size; k += inner) {
        y[k] = byoc_exponential_f32(beta * (x[k] - most));
        byoc_add(&all, y[k]);
      }
      sum = byoc_total(&all);
      for (k = i; k < size; k += inner) y[k] /= sum;
    }
  }
}
