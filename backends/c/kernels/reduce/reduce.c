/*
 * BYOC_X: see byoc_element.h. BYOC_SUM: the type that is folded in. BYOC_INITIAL, and BYOC_STEP: an expression of sum,
 * v and most. BYOC_RESULT: an expression of sum, most and p->count. BYOC_SHIFTED: most is the largest element.
 * BYOC_MANY: see byoc_sum.h; of steps that add, to 0.
 */
#include "byoc_reduce.h"

#include "byoc_element.h"
#if defined(BYOC_MANY)
#include "byoc_sum.h"
#endif
#if defined(BYOC_QUANTISED)
#include "byoc_reduce_q8.h"
#define PARAMETERS byoc_reduce_q8_t
#define SIGNATURE BYOC_REDUCE_Q8
#elif defined(BYOC_REQUANTISED)
#include "byoc_reduce_q.h"
#define PARAMETERS byoc_reduce_q_t
#define SIGNATURE BYOC_REDUCE_Q
#else
#define PARAMETERS byoc_reduce_t
#define SIGNATURE BYOC_REDUCE
#endif

/* The state of a fold; in blocks, a step sees its own block alone. */
#if defined(BYOC_MANY)
#define TAKE(step)      \
  sum = folded.part;    \
  folded.part = (step); \
  if (++folded.count == BYOC_SUM_BLOCK) byoc_end_block(&folded)
#define FOLDED byoc_total(&folded)
#define BEGIN byoc_sum_t folded = BYOC_NO_SUM
#else
#define TAKE(step) sum = (step)
#define FOLDED sum
#define BEGIN (void)0
#endif

#define FOLD(name, take, begin, folded_sum)                                                 \
  static BYOC_SUM name(const PARAMETERS* p, const BYOC_X* x, BYOC_SUM sum, BYOC_SUM most) { \
    const int32_t last = p->folded_rank - 1, count = p->folded_dims[last];                  \
    const byoc_offset_t stride = p->folded_stride[last];                                    \
    int32_t index[BYOC_REDUCE_RANK] = {0};                                                  \
    int32_t d, i;                                                                           \
    begin;                                                                                  \
    (void)most;                                                                             \
    (void)sum;                                                                              \
    for (;;) {                                                                              \
      const BYOC_X* from = x;                                                               \
      for (i = 0; i < count; ++i, from += stride) {                                         \
        const BYOC_X_WORK v = BYOC_X_LOAD(*from);                                           \
        take;                                                                               \
      }                                                                                     \
      for (d = last - 1; d >= 0; --d) {                                                     \
        x += p->folded_stride[d];                                                           \
        if (++index[d] < p->folded_dims[d]) break;                                          \
        x -= (byoc_offset_t)p->folded_stride[d] * p->folded_dims[d];                        \
        index[d] = 0;                                                                       \
      }                                                                                     \
      if (d < 0) return folded_sum;                                                         \
    }                                                                                       \
  }

FOLD(fold, TAKE(BYOC_STEP), BEGIN, FOLDED)
#if defined(BYOC_SHIFTED)
FOLD(largest, sum = ((BYOC_SUM)v > sum || v != v ? (BYOC_SUM)v : sum), (void)0, sum)
#endif

SIGNATURE(BYOC_SYMBOL, BYOC_X) {
  const int32_t last = p->rank - 1;
  int32_t index[BYOC_REDUCE_RANK] = {0};
  int32_t d, i;
  for (;;) {
    const BYOC_X* from = x;
    for (i = 0; i < p->dims[last]; ++i, from += p->stride[last]) {
      BYOC_SUM sum = BYOC_INITIAL, most = 0;
      if (p->count > 0) {
#if defined(BYOC_SHIFTED)
        most = largest(p, from, -(BYOC_SUM)INFINITY, 0);
#endif
        sum = fold(p, from, sum, most);
      }
      (void)most;
      *y++ = BYOC_X_STORE(BYOC_RESULT);
    }
    for (d = last - 1; d >= 0; --d) {
      x += p->stride[d];
      if (++index[d] < p->dims[d]) break;
      x -= (byoc_offset_t)p->stride[d] * p->dims[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}
