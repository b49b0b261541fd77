/* Softmax and its logarithm of int8 values. */
#ifndef BYOC_SOFTMAX_S8_H
#define BYOC_SOFTMAX_S8_H

#include "byoc_fixed_point.h"

typedef struct byoc_softmax_s8_t {
  int32_t rows, depth;
  int32_t multiplier, left_shift;            /* from a difference of inputs to Q5.26 */
  int32_t least;                             /* differences below it count as nothing */
  int32_t reverse_multiplier, reverse_shift; /* of the logarithm: from Q5.26 to a difference of inputs */
} byoc_softmax_s8_t;

void byoc_softmax_s8(const byoc_softmax_s8_t* p, const int8_t* in, int8_t* out);
void byoc_softmax_s8_s16(const byoc_softmax_s8_t* p, const int8_t* in, int16_t* out);
void byoc_log_softmax_s8(const byoc_softmax_s8_t* p, const int8_t* in, int8_t* out);

static inline int32_t byoc_softmax_scaled(const byoc_softmax_s8_t* p, int32_t difference) {
  return byoc_high_mul((int32_t)((uint32_t)difference << p->left_shift), p->multiplier);
}

static inline int32_t byoc_softmax_largest(const int8_t* in, int32_t depth) {
  int32_t i, most = in[0];
  for (i = 1; i < depth; ++i) most = in[i] > most ? in[i] : most;
  return most;
}

/* The sum of the exponentials in Q12.19, at most 2^32 - 1. */
static inline uint32_t byoc_softmax_sum(const byoc_softmax_s8_t* p, const int8_t* in, int32_t most) {
  uint32_t sum = 0;
  int32_t i;
  for (i = 0; i < p->depth; ++i)
    if (in[i] - most >= p->least) {
      const uint32_t term = (uint32_t)byoc_divide_pot(byoc_exp_q31(byoc_softmax_scaled(p, in[i] - most)), 12);
      sum = sum > 0xffffffffu - term ? 0xffffffffu : sum + term;
    }
  return sum;
}

#endif
