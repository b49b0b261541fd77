/*
 * int8 softmax over the last axis, TFLite's arithmetic: gemmlowp fixed point (Q5.26 differences, exponentials in Q0.31,
 * sums in Q12.19). The result has scale 1/256 and zero point -128; BYOC_WIDE: 16 bits, 1/65536 and -32768.
 */
#include "byoc_softmax_s8.h"

#if defined(BYOC_WIDE)
typedef int16_t result_t;
#define BITS 16
#else
typedef int8_t result_t;
#define BITS 8
#endif
#define LOW (-((int32_t)1 << (BITS - 1)))

static void row(const byoc_softmax_s8_t* p, const int8_t* in, result_t* out) {
  const int32_t most = byoc_softmax_largest(in, p->depth);
  const uint32_t sum = byoc_softmax_sum(p, in, most);
  const int32_t headroom = byoc_leading_zeros(sum);
  const int32_t reciprocal = byoc_reciprocal_q31((int32_t)((sum << headroom) - 0x80000000u));
  int32_t i;
  for (i = 0; i < p->depth; ++i) {
    int32_t y = LOW;
    if (in[i] - most >= p->least) {
      const int32_t exponential = byoc_exp_q31(byoc_softmax_scaled(p, in[i] - most));
      y += byoc_divide_pot(byoc_high_mul(reciprocal, exponential), 12 - headroom + 31 - BITS);
      if (y > -LOW - 1) y = -LOW - 1;
    }
    out[i] = (result_t)y;
  }
}

void BYOC_SYMBOL(const byoc_softmax_s8_t* p, const int8_t* in, result_t* out) {
  int32_t i;
  for (i = 0; i < p->rows; ++i) row(p, in + (size_t)i * (size_t)p->depth, out + (size_t)i * (size_t)p->depth);
}
