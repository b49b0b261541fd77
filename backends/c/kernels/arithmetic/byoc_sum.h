/*
 * Sums of floats; BYOC_T is their type, float if it is not defined. With BYOC_MANY, elements are added in blocks, and
 * the blocks with what rounding cut off before (Kahan): a plain sum of ones stops at 2^24. From an infinity, the loss
 * of an addition would be no number.
 */
#ifndef BYOC_SUM_H
#define BYOC_SUM_H

#include "byoc_kernel.h"

#if !defined(BYOC_T)
#define BYOC_T float
#endif

#if defined(BYOC_MANY)
#define BYOC_SUM_BLOCK 256

typedef struct {
  BYOC_T part, sum, lost;
  int32_t count;
} byoc_sum_t;

/* Adds to a sum, with what rounding cut off before. */
static inline void byoc_compensated(BYOC_T* sum, BYOC_T* lost, BYOC_T v) {
  const BYOC_T whole = v - *lost, next = *sum + whole;
  *lost = next - next == 0 ? (next - *sum) - whole : 0;
  *sum = next;
}

static inline void byoc_end_block(byoc_sum_t* s) {
  byoc_compensated(&s->sum, &s->lost, s->part);
  s->part = 0;
  s->count = 0;
}

static inline void byoc_add(byoc_sum_t* s, BYOC_T v) {
  s->part += v;
  if (++s->count == BYOC_SUM_BLOCK) byoc_end_block(s);
}

static inline BYOC_T byoc_total(byoc_sum_t* s) {
  byoc_end_block(s);
  return s->sum;
}
#define BYOC_NO_SUM {0, 0, 0, 0}

#else

typedef struct {
  BYOC_T part;
} byoc_sum_t;

static inline void byoc_add(byoc_sum_t* s, BYOC_T v) { s->part += v; }
static inline BYOC_T byoc_total(byoc_sum_t* s) { return s->part; }
#define BYOC_NO_SUM {0}

#endif
#endif
