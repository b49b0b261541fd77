/* BYOC_X: int8_t or uint8_t. */
#include "byoc_div_q8.h"

#include "byoc_reduce_q8.h"

BYOC_DIV_Q8(BYOC_SYMBOL, BYOC_X) {
  const byoc_binary_t* n = &p->loops;
  const int32_t last = n->rank - 1;
  const int32_t a_step = n->a_stride[last], b_step = n->b_stride[last];
  int32_t index[BYOC_BINARY_RANK] = {0};
  int32_t d, i;
  for (;;) {
    const BYOC_X* u = a;
    const BYOC_X* v = b;
    for (i = 0; i < n->dims[last]; ++i, u += a_step, v += b_step) {
      const float x = (float)(*u - p->a_zero) * p->a_scale, divisor = (float)(*v - p->b_zero) * p->b_scale;
      *y++ = (BYOC_X)byoc_quantised(x / divisor, p->scale, p->zero, p->min, p->max);
    }
    for (d = last - 1; d >= 0; --d) {
      a += n->a_stride[d];
      b += n->b_stride[d];
      if (++index[d] < n->dims[d]) break;
      a -= (byoc_offset_t)n->a_stride[d] * n->dims[d];
      b -= (byoc_offset_t)n->b_stride[d] * n->dims[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}
