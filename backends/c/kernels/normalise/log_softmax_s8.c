/*
 * Logarithm of the int8 softmax over the last axis, TFLite's arithmetic: as the softmax up to the sum in Q12.19, its
 * logarithm in Q5.26. The result has scale 1/16 and zero point 127.
 */
#include "byoc_requant.h"
#include "byoc_softmax_s8.h"

static int32_t saturate(int64_t x) { return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (int32_t)x; }

/* log(x) in Q5.26 of x >= 1 in Q12.19: x = r * 2^k, r around 2^(-1/4); constants are powers of 2 and series' terms. */
static int32_t log_q26(int32_t x) {
  const int32_t zeros = byoc_leading_zeros((uint32_t)x);
  const int32_t other_zeros = byoc_leading_zeros((uint32_t)byoc_high_mul(x, 1518500250)) - 1;
  const int32_t r0 = byoc_times_pot(byoc_high_mul(byoc_times_pot(x, zeros - 1), 1518500250), 1);
  const int32_t r1 = byoc_times_pot(x, other_zeros);
  const int32_t k0 = (12 - zeros) * ((int32_t)1 << 25) + ((int32_t)1 << 23),
                k1 = (12 - other_zeros) * ((int32_t)1 << 25) - ((int32_t)1 << 23);
  const int32_t r = r0 < r1 ? r0 : r1, k = k0 > k1 ? k0 : k1; /* k in Q6.25 */
  const int32_t p = (int32_t)(((int64_t)r + 1805811301 + 1) / 2);
  const int32_t q = (int32_t)(2 * (uint32_t)(r - 1805811301));
  const int32_t q2 = byoc_high_mul(q, q);
  const int32_t above = byoc_high_mul(q, r) + byoc_high_mul(byoc_high_mul(q, q2), 117049297);
  const int32_t below = byoc_high_mul(p, 1057819769 + q + byoc_high_mul(127690142, q2)) + byoc_high_mul(638450708, q);
  const int32_t quotient = byoc_high_mul(byoc_divide_pot(above, 6), byoc_reciprocal_q31(below));
  return saturate(((int64_t)byoc_high_mul(k, 1488522236) + quotient) * 2);
}

static void row(const byoc_softmax_s8_t* p, const int8_t* in, int8_t* out) {
  const int32_t most = byoc_softmax_largest(in, p->depth);
  const uint32_t sum = byoc_softmax_sum(p, in, most);
  const int32_t log_sum = log_q26(sum > INT32_MAX ? INT32_MAX : (int32_t)sum);
  int32_t least =
      byoc_multiply_q31((int32_t)((uint32_t)log_sum + 0x80000000u), p->reverse_multiplier, p->reverse_shift);
  int32_t i;
  if (least < p->least - 1) least = p->least - 1;
  for (i = 0; i < p->depth; ++i) {
    const int32_t difference = in[i] - most;
    int32_t y = -128;
    if (difference > least) {
      y = byoc_divide_pot((int32_t)((uint32_t)byoc_softmax_scaled(p, difference) - (uint32_t)log_sum), 22) + 127;
      y = byoc_clamp(y, -128, 127);
    }
    out[i] = (int8_t)y;
  }
}

void BYOC_SYMBOL(const byoc_softmax_s8_t* p, const int8_t* in, int8_t* out) {
  int32_t i;
  for (i = 0; i < p->rows; ++i) row(p, in + (size_t)i * (size_t)p->depth, out + (size_t)i * (size_t)p->depth);
}
