/* A kernel of byoc_pair_q.h over a run() along the last dim. */
#ifndef BYOC_PAIR_LOOPS_Q_H
#define BYOC_PAIR_LOOPS_Q_H

#include "byoc_pair_q.h"

BYOC_PAIR_Q(BYOC_SYMBOL, BYOC_A, BYOC_B, BYOC_Y) {
  const int32_t last = p->rank - 1;
  int32_t index[BYOC_PAIR_RANK] = {0};
  int32_t d;
  for (;;) {
    run(p, p->dims[last], a, p->a_stride[last], b, p->b_stride[last], y);
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
