/* A kernel of byoc_binary_f32.h over a run() along the last dim. */
#ifndef BYOC_BINARY_LOOPS_F32_H
#define BYOC_BINARY_LOOPS_F32_H

#include "byoc_binary_f32.h"

BYOC_BINARY_F32(BYOC_SYMBOL) {
  const int32_t last = p->rank - 1;
  int32_t index[BYOC_BINARY_RANK] = {0};
  int32_t d;
  for (;;) {
    run(p->dims[last], a, p->a_stride[last], b, p->b_stride[last], y, p->bounds);
    y += p->dims[last];
    for (d = last - 1; d >= 0; --d) {
      a += p->a_stride[d];
      b += p->b_stride[d];
      if (++index[d] < p->dims[d]) break;
      a -= (byoc_offset_t)p->a_stride[d] * p->dims[d];
      b -= (byoc_offset_t)p->b_stride[d] * p->dims[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

#endif
