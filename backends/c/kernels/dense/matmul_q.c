/* BYOC_ELEMENT: the type of both operands and the result; BYOC_SUM: uint32_t or uint64_t, in which sums wrap around. */
#include "byoc_matmul_q.h"

static inline BYOC_SUM dot(const byoc_matmul_q_t* p, const BYOC_ELEMENT* a, const BYOC_ELEMENT* b) {
  BYOC_SUM sum = 0;
  int32_t k;
  for (k = 0; k < p->depth; ++k, a += p->a_depth, b += p->b_depth)
    sum += (BYOC_SUM)((*a - p->a_zero) * (*b - p->b_zero));
  return sum;
}

BYOC_MATMUL_Q(BYOC_SYMBOL, BYOC_ELEMENT) {
  int32_t index[BYOC_MATMUL_Q_RANK] = {0};
  int32_t d, i, j;
  for (;;) {
    for (i = 0; i < p->rows; ++i)
      for (j = 0; j < p->columns; ++j)
        *y++ = (BYOC_ELEMENT)BYOC_REQUANTISE_SUM(
            &p->requant, 0, dot(p, a + (byoc_offset_t)i * p->a_row, b + (byoc_offset_t)j * p->b_column));
    for (d = BYOC_MATMUL_Q_RANK - 1; d >= 0; --d) {
      a += p->a_batch[d];
      b += p->b_batch[d];
      if (++index[d] < p->batch[d]) break;
      a -= (byoc_offset_t)p->a_batch[d] * p->batch[d];
      b -= (byoc_offset_t)p->b_batch[d] * p->batch[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}
