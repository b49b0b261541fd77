/*
 * int8 softmax over the last axis, TFLite's arithmetic: gemmlowp fixed point (Q5.26 differences, exponentials in Q0.31,
 * sums in Q12.19), result in scale 1/256 with zero point -128.
 */
#include "byoc_kernel.h"
#include "byoc_softmax_s8.h"

/* floor((a * b + 2^30) / 2^31); never both INT32_MIN here. */
static inline int32_t high_mul(int32_t a, int32_t b) { return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31); }

/* x / 2^n to nearest, halves away from zero; n from 1 to 31. */
static inline int32_t divide_pot(int32_t x, int32_t n) {
  return (int32_t)(((int64_t)x + ((int64_t)1 << (n - 1)) - (x < 0)) >> n);
}

/* x * 2^n, saturating. */
static inline int32_t times_pot(int32_t x, int32_t n) {
  if (x > (INT32_MAX >> n)) return INT32_MAX;
  if (x < -(INT32_MAX >> n) - 1) return INT32_MIN;
  return (int32_t)((uint32_t)x << n);
}

/* exp(a) in Q0.31 of a <= 0 in Q5.26: a polynomial around -1/8 for the part in (-1/4, 0], factors for the rest. */
static int32_t exp_q31(int32_t a) {
  static const int32_t factors[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int32_t part = (a & ((1 << 24) - 1)) - (1 << 24);
  const int32_t rest = part - a;
  const int32_t x = times_pot(part, 5) + (1 << 28);
  const int32_t x2 = high_mul(x, x), x3 = high_mul(x2, x), x4 = high_mul(x2, x2);
  const int32_t tail = divide_pot(high_mul(divide_pot(x4, 2) + x3, 715827883) + x2, 1);
  int32_t y = 1895147668 + high_mul(1895147668, x + tail);
  int32_t i;
  if (a == 0) return INT32_MAX;
  for (i = 0; i < 7; ++i)
    if (rest & (1 << (24 + i))) y = high_mul(y, factors[i]);
  return y;
}

/* 1 / (1 + a) in Q0.31 of a in [0, 1): Newton's method from 48/17 - 32/17 d, in Q2.29. */
static int32_t reciprocal_q31(int32_t a) {
  const int32_t half = (int32_t)(((int64_t)a + INT32_MAX + 1) / 2);
  int32_t x = 1515870810 + high_mul(half, -1010580540);
  int32_t i;
  for (i = 0; i < 3; ++i) x += times_pot(high_mul(x, (1 << 29) - high_mul(half, x)), 2);
  return times_pot(x, 1);
}

static int32_t leading_zeros(uint32_t x) {
  int32_t n = 0;
  while (!(x & 0x80000000u)) {
    x <<= 1;
    ++n;
  }
  return n;
}

static inline int32_t scaled(const byoc_softmax_s8_t* p, int32_t difference) {
  return high_mul((int32_t)((uint32_t)difference << p->left_shift), p->multiplier);
}

static void row(const byoc_softmax_s8_t* p, const int8_t* in, int8_t* out) {
  int32_t i, most = in[0], headroom, reciprocal;
  uint32_t sum = 0;
  for (i = 1; i < p->depth; ++i) most = in[i] > most ? in[i] : most;
  for (i = 0; i < p->depth; ++i)
    if (in[i] - most >= p->least) sum += (uint32_t)divide_pot(exp_q31(scaled(p, in[i] - most)), 12);
  headroom = leading_zeros(sum);
  reciprocal = reciprocal_q31((int32_t)((sum << headroom) - 0x80000000u));
  for (i = 0; i < p->depth; ++i) {
    int32_t y = -128;
    if (in[i] - most >= p->least) {
      y = divide_pot(high_mul(reciprocal, exp_q31(scaled(p, in[i] - most))), 12 - headroom + 31 - 8) - 128;
      if (y > 127) y = 127;
    }
    out[i] = (int8_t)y;
  }
}

void BYOC_SYMBOL(const byoc_softmax_s8_t* p, const int8_t* in, int8_t* out) {
  int32_t i;
  for (i = 0; i < p->rows; ++i) row(p, in + (size_t)i * (size_t)p->depth, out + (size_t)i * (size_t)p->depth);
}
