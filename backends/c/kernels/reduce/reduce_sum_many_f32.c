#define BYOC_MANY 1
#include "byoc_reduce_f32.h"
#include "byoc_sum.h"

#define LANES 8

/* The sum of a block, in lanes that a compiler can make vectors of. */
static inline float sum_of_block(const float* x, int32_t count) {
  float lane[LANES] = {0};
  int32_t i, k;
  for (i = 0; i + LANES <= count; i += LANES)
    for (k = 0; k < LANES; ++k) lane[k] += x[i + k];
  for (; i < count; ++i) lane[0] += x[i];
  for (k = LANES / 2; k > 0; k /= 2)
    for (i = 0; i < k; ++i) lane[i] += lane[i + k];
  return lane[0];
}

void BYOC_SYMBOL(const byoc_reduce_f32_t* p, const float* x, float* y, float* lost) {
  const int32_t last = p->rank - 1, count = p->dims[last];
  int32_t index[BYOC_REDUCE_RANK] = {0};
  byoc_offset_t to = 0;
  int32_t d, i;
  for (i = 0; i < p->results; ++i) y[i] = lost[i] = 0.0f;
  for (;;) {
    if (p->y_stride[last]) {
      for (i = 0; i < count; ++i) byoc_compensated(y + to + i, lost + to + i, x[i]);
    } else {
      for (i = 0; i < count; i += BYOC_SUM_BLOCK)
        byoc_compensated(y + to, lost + to,
                         sum_of_block(x + i, count - i < BYOC_SUM_BLOCK ? count - i : BYOC_SUM_BLOCK));
    }
    x += count;
    for (d = last - 1; d >= 0; --d) {
      to += p->y_stride[d];
      if (++index[d] < p->dims[d]) break;
      to -= (byoc_offset_t)p->y_stride[d] * p->dims[d];
      index[d] = 0;
    }
    if (d < 0) break;
  }
  for (i = 0; i < p->results; ++i) y[i] *= p->factor;
}
