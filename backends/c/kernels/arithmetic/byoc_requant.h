/* From the int32 sum of a quantised operator to its 8-bit result. */
#ifndef BYOC_REQUANT_H
#define BYOC_REQUANT_H

#include "byoc_kernel.h"

/* How the sums of the output channels become results. */
typedef struct byoc_requant_t {
  const int32_t* bias; /* one a channel, with what the input's zero point contributes */
  const void* scale;   /* int32_t Q31 multipliers (TFLite, exact) or float scales (ONNX) */
  const int8_t* shift; /* TFLite, exact: the power of two of each multiplier, -31 to 30; exact: see byoc_scale;
                          wide: the bits to shift right */
  int32_t step;        /* 1: a scale for each channel, 0: one for all */
  int32_t zero;        /* zero point of the output */
  int32_t min;         /* the fused activation as a clamp of the result */
  int32_t max;
} byoc_requant_t;

/*
 * TFLite's MultiplyByQuantizedMultiplier with its two roundings,
 *   h = floor((x * 2^left * q + 2^30) / 2^31)                       (half up)
 *   r = h / 2^right rounded to nearest, halves away from zero,
 * in one 64-bit shift: for right > 0 it is floor((x * q + 2^30 + 2^(30 + right) - (x < 0) * 2^31) / 2^(31 + right)).
 * That h < 0 exactly when x < 0 fails only for x = -1, q = 2^30, where both forms give 0; q is 0 or at least 2^30.
 */
static inline int32_t byoc_multiply_q31(int32_t x, int32_t q, int32_t shift) {
  int64_t sum;
  if (shift >= 0) {
    x = (int32_t)((uint32_t)x << shift);
    return (int32_t)(((int64_t)x * q + ((int32_t)1 << 30)) >> 31);
  }
  sum = (int64_t)x * q + ((int32_t)1 << 30) + ((int64_t)1 << (30 - shift));
  if (x < 0) sum -= (int64_t)1 << 31;
  return (int32_t)(sum >> (31 - shift));
}

/*
 * Exact: x * q / 2^(31 - shift) rounded once, halves to even, saturating. Where a sum can be half way, which most
 * scales never see, the shift has 64 added to it; without, halves need not be told from what is above them.
 */
static inline int32_t byoc_scale(int32_t x, int32_t q, int32_t shift) {
  const int32_t ties = shift > 31, right = 31 - (ties ? shift - 64 : shift);
  const int64_t sum = (int64_t)x * q + ((int64_t)1 << (right - 1));
  int64_t y = sum >> right;
  if (ties && !(sum & (((int64_t)1 << right) - 1))) y &= ~(int64_t)1;
  return y < -0x7fffffff ? -0x7fffffff : y > 0x7fffffff ? 0x7fffffff : (int32_t)y;
}

/* float to the nearest int32, halves to even, saturating; on the bits, so that no compiler can contract what made x. */
static inline int32_t byoc_round_even(float x) {
  uint32_t bits, mantissa, whole, rest, half;
  int32_t down;
  memcpy(&bits, &x, sizeof bits);
  mantissa = (bits & 0x7fffffu) | 0x800000u;
  down = 150 - (int32_t)((bits >> 23) & 0xffu); /* x = +-mantissa / 2^down */
  if (down <= 0) {
    whole = down < -7 ? 0x7fffffffu : mantissa << -down;
  } else if (down > 24) {
    whole = 0;
  } else {
    whole = mantissa >> down;
    rest = mantissa & (((uint32_t)1 << down) - 1u);
    half = (uint32_t)1 << (down - 1);
    whole += rest > half || (rest == half && (whole & 1u)) ? 1u : 0u;
  }
  return (bits >> 31) ? -(int32_t)whole : (int32_t)whole;
}

static inline int32_t byoc_clamp(int32_t x, int32_t low, int32_t high) { return x < low ? low : x > high ? high : x; }

/* The result of one channel; acc starts from the bias and wraps like the reference's int32. */
static inline int32_t byoc_requantise_sum(const byoc_requant_t* r, int32_t channel, uint32_t acc) {
  int32_t at = channel * r->step;
#if defined(BYOC_REQUANT_ONNX)
  /* The sum of zero and a rounded value at most 2^31 - 2^7 cannot be formed in 32 bits: clamp first. */
  float scaled = (float)(int32_t)acc * ((const float*)r->scale)[at];
  int32_t y = byoc_clamp(byoc_round_even(scaled), r->min - r->zero, r->max - r->zero) + r->zero;
#elif defined(BYOC_REQUANT_EXACT)
  int32_t y = byoc_scale((int32_t)acc, ((const int32_t*)r->scale)[at], r->shift[at]);
  y = byoc_clamp(y, r->min - r->zero, r->max - r->zero) + r->zero;
#else
  int32_t y = byoc_multiply_q31((int32_t)acc, ((const int32_t*)r->scale)[at], r->shift[at]);
  y = byoc_clamp(y, r->min - r->zero, r->max - r->zero) + r->zero;
#endif
  return y;
}

static inline int8_t byoc_requantise(const byoc_requant_t* r, int32_t channel, uint32_t acc) {
  return (int8_t)byoc_requantise_sum(r, channel, acc);
}

/* As byoc_requantise_sum, for a 64-bit sum: TFLite's multiplier of 16 bits and one rounding, halves up. */
static inline int32_t byoc_requantise_wide(const byoc_requant_t* r, int32_t channel, uint64_t acc) {
  const int32_t at = channel * r->step, right = r->shift[at];
  const uint64_t product = acc * (uint64_t)((const int32_t*)r->scale)[at];
  const int64_t y = (int64_t)(product + ((uint64_t)1 << (right - 1))) >> right;
  const int32_t low = r->min - r->zero, high = r->max - r->zero;
  return (y < low ? low : y > high ? high : (int32_t)y) + r->zero;
}

/* For kernels that exist with both: BYOC_REQUANT_WIDE chooses. */
#if defined(BYOC_REQUANT_WIDE)
#define BYOC_REQUANTISE_SUM byoc_requantise_wide
#else
#define BYOC_REQUANTISE_SUM byoc_requantise_sum
#endif

/*
 * byoc_multiply_q31 for right shifts from 2 to 23: the 64-bit sum starts from the rounding constants, 2^30 and
 * 2^(30 + right), less 2^31 below zero, so that only its high word is shifted, by right - 1. There the zero point fits
 * in beforehand: |product| <= 2^62, so the high word stays below 2^30 + 2^21 + 2^29. Exact is the same with the one
 * constant 2^(30 + right); the low word cannot carry into it. A shift that tells of ties is out of the range.
 */
typedef struct byoc_channel_t {
  int32_t scale; /* the multiplier */
  int32_t start; /* of the high word */
  int32_t shift; /* of the high word; 0: the fast way does not cover the channel */
} byoc_channel_t;

static inline byoc_channel_t byoc_channel_of(int32_t multiplier, int32_t shift, int32_t zero) {
  byoc_channel_t c;
  c.scale = multiplier;
  c.shift = -1 - shift;
  if ((uint32_t)c.shift - 1u > 21u) c.shift = 0;
  c.start = (int32_t)((uint32_t)(2 * zero + 1) << (c.shift ? c.shift - 1 : 0));
  return c;
}

/* The activation's clamp of `n` results that were saturated only. */
static inline void byoc_narrow(const byoc_requant_t* r, int8_t* y, int32_t n) {
  if (r->min <= -128 && r->max >= 127) return;
  for (; n > 0; --n, ++y) *y = (int8_t)byoc_clamp(*y, r->min, r->max);
}

#endif
