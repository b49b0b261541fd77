/*
 * Elements of kernels that exist for many types. The source defines, for an operand X:
 *   X            the type it is stored in: 16-bit floats are uint16_t
 *   X_WORK       the type it is computed in: float for 16-bit floats
 *   X_LOAD(v)    from storage
 *   X_STORE(v)   to storage, rounded to nearest, ties to even
 * and for the arithmetic: BYOC_T its type, BYOC_LOWEST and BYOC_LARGEST the ends of its range, BYOC_BITS (integers) the
 * unsigned type in which it wraps around, BYOC_DOUBLE where it is double.
 */
#ifndef BYOC_ELEMENT_H
#define BYOC_ELEMENT_H

#include <math.h>

#include "byoc_kernel.h"

/* A function of the C library, and a literal, of the arithmetic's type. */
#if defined(BYOC_DOUBLE)
#define BYOC_F(name) name
#define BYOC_C(number) number
#else
#define BYOC_F(name) name##f
#define BYOC_C(number) number##f
#endif

/* For integers: u + v, u - v and u * v without overflow. */
#define BYOC_WRAP(u, op, v) ((BYOC_T)((BYOC_BITS)(u)op(BYOC_BITS)(v)))

static inline float byoc_float_of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static inline uint32_t byoc_bits_of_float(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

static inline float byoc_load_f16(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  const uint32_t rest = h & 0x7fffu;
  if (rest >= 0x7c00u) return byoc_float_of_bits(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest >= 0x0400u) return byoc_float_of_bits(sign | ((rest << 13) + 0x38000000u));
  return byoc_float_of_bits(sign | byoc_bits_of_float((float)rest * 5.9604644775390625e-8f)); /* 2^-24 */
}

static inline uint16_t byoc_store_f16(float f) {
  const uint32_t bits = byoc_bits_of_float(f);
  const uint32_t sign = bits >> 16 & 0x8000u;
  uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u); /* from 65520 on */
  if (rest >= 0x38800000u) {
    rest += 0x0fffu + (rest >> 13 & 1u);
    return (uint16_t)(sign | (rest - 0x38000000u) >> 13);
  }
  /* The last bit of a float just above 1/2 weighs as much as that of a subnormal: the addition rounds. */
  return (uint16_t)(sign | (byoc_bits_of_float(byoc_float_of_bits(rest) + 0.5f) - 0x3f000000u));
}

static inline float byoc_load_bf16(uint16_t h) { return byoc_float_of_bits((uint32_t)h << 16); }

static inline uint16_t byoc_store_bf16(float f) {
  const uint32_t bits = byoc_bits_of_float(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((bits >> 16 & 0x8000u) | 0x7fc0u);
  return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* A float that rounds to 16 bits as d does: towards zero, with the last bit set where something was cut off. */
static inline float byoc_round_to_odd(double d) {
  const float f = (float)d;
  uint32_t bits = byoc_bits_of_float(f);
  if ((double)f == d || d != d) return f;
  if ((double)(f < 0.0f ? -f : f) > (d < 0.0 ? -d : d)) --bits;
  return byoc_float_of_bits(bits | 1u);
}

#if defined(BYOC_T) && !defined(BYOC_BITS)
/* v in [0, 1]; not-a-number stays. */
static inline BYOC_T byoc_unit(BYOC_T v) { return v < BYOC_C(0.0) ? BYOC_C(0.0) : v > BYOC_C(1.0) ? BYOC_C(1.0) : v; }
/* log(1 + exp(v)) */
static inline BYOC_T byoc_softplus(BYOC_T v) {
  return (v > BYOC_C(0.0) ? v : BYOC_C(0.0)) + BYOC_F(log1p)(BYOC_F(exp)(-BYOC_F(fabs)(v)));
}
#endif

#if defined(BYOC_BITS)
/* v, from 0 to one less than a type of so many bytes has bits. */
static inline int32_t byoc_shift_count(int64_t v, size_t bytes) {
  const int64_t most = (int64_t)bytes * 8 - 1;
  return (int32_t)(v < 0 ? 0 : v < most ? v : most);
}
/* base to the power of exponent, wrapping around. */
static inline BYOC_T byoc_power(BYOC_T base, uint64_t exponent) {
  BYOC_BITS result = 1, square = (BYOC_BITS)base;
  for (; exponent != 0; exponent >>= 1, square *= square)
    if (exponent & 1) result *= square;
  return (BYOC_T)result;
}
#endif

#if defined(BYOC_ABOVE)
/* The whole part, saturated; not-a-number is 0. BYOC_ABOVE: the power of two above the largest value. */
static inline BYOC_T byoc_saturate(double v) {
  if (v >= BYOC_ABOVE) return BYOC_LARGEST;
  if (v <= BYOC_LOWEST) return BYOC_LOWEST;
  return v == v ? (BYOC_T)v : (BYOC_T)0;
}
static inline BYOC_T byoc_saturatef(float v) {
  if (v >= BYOC_ABOVE) return BYOC_LARGEST;
  if (v <= BYOC_LOWEST) return BYOC_LOWEST;
  return v == v ? (BYOC_T)v : (BYOC_T)0;
}
#endif

#endif
