/* gemmlowp's fixed point: Qa.b is an int32 with b fractional bits. */
#ifndef BYOC_FIXED_POINT_H
#define BYOC_FIXED_POINT_H

#include "byoc_kernel.h"

/* floor((a * b + 2^30) / 2^31); never both INT32_MIN. */
static inline int32_t byoc_high_mul(int32_t a, int32_t b) {
  return (int32_t)(((int64_t)a * b + ((int32_t)1 << 30)) >> 31);
}

/* x / 2^n to nearest, halves away from zero; n from 1 to 62. */
static inline int32_t byoc_divide_pot(int32_t x, int32_t n) {
  return (int32_t)(((int64_t)x + ((int64_t)1 << (n - 1)) - (x < 0)) >> n);
}

/* x * 2^n, saturating. */
static inline int32_t byoc_times_pot(int32_t x, int32_t n) {
  if (x > (INT32_MAX >> n)) return INT32_MAX;
  if (x < -(INT32_MAX >> n) - 1) return INT32_MIN;
  return (int32_t)((uint32_t)x << n);
}

/* exp(a) in Q0.31 of a <= 0 in Q5.26: a polynomial around -1/8 for the part in (-1/4, 0], factors for the rest. */
static inline int32_t byoc_exp_q31(int32_t a) {
  static const int32_t factors[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int32_t part = (a & (((int32_t)1 << 24) - 1)) - ((int32_t)1 << 24);
  const int32_t rest = part - a;
  const int32_t x = byoc_times_pot(part, 5) + ((int32_t)1 << 28);
  const int32_t x2 = byoc_high_mul(x, x), x3 = byoc_high_mul(x2, x), x4 = byoc_high_mul(x2, x2);
  const int32_t tail = byoc_divide_pot(byoc_high_mul(byoc_divide_pot(x4, 2) + x3, 715827883) + x2, 1);
  int32_t y = 1895147668 + byoc_high_mul(1895147668, x + tail);
  int32_t i;
  if (a == 0) return INT32_MAX;
  for (i = 0; i < 7; ++i)
    if (rest & ((int32_t)1 << (24 + i))) y = byoc_high_mul(y, factors[i]);
  return y;
}

/* 1 / (1 + a) in Q0.31 of a in [0, 1): Newton's method from 48/17 - 32/17 d, in Q2.29. */
static inline int32_t byoc_reciprocal_q31(int32_t a) {
  const int32_t half = (int32_t)(((int64_t)a + INT32_MAX + 1) / 2);
  int32_t x = 1515870810 + byoc_high_mul(half, -1010580540);
  int32_t i;
  for (i = 0; i < 3; ++i) x += byoc_times_pot(byoc_high_mul(x, ((int32_t)1 << 29) - byoc_high_mul(half, x)), 2);
  return byoc_times_pot(x, 1);
}

static inline int32_t byoc_leading_zeros(uint32_t x) {
  int32_t n = 0;
  while (!(x & 0x80000000u)) {
    x <<= 1;
    ++n;
  }
  return n;
}

#endif
