#include "byoc_reduce_f32.h"

void BYOC_SYMBOL(const byoc_reduce_f32_t* p, const float* x, float* y) {
  const int32_t last = p->rank - 1, count = p->dims[last];
  int32_t index[BYOC_REDUCE_RANK] = {0};
  float* to = y;
  int32_t d, i;
  for (i = 0; i < p->results; ++i) y[i] = 0.0f;
  for (;;) {
    if (p->y_stride[last]) {
      for (i = 0; i < count; ++i) to[i] += x[i];
    } else {
      float sum = 0.0f;
      for (i = 0; i < count; ++i) sum += x[i];
      *to += sum;
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
