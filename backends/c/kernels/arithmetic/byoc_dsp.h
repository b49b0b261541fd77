/* The DSP instructions of ARMv7E-M that kernels use, as functions; without <arm_acle.h>, whose names differ by age. */
#ifndef BYOC_DSP_H
#define BYOC_DSP_H

#if !defined(__ARM_FEATURE_DSP)
#error "this kernel needs the DSP extension (ARMv7E-M, Armv8-M Mainline with DSP)"
#endif

#include "byoc_kernel.h"

/* Two int16, the lower in the lower half; may be read where int16_t were written. */
typedef uint32_t __attribute__((may_alias)) byoc_pair_t;

/* Bytes 0 and 2, and bytes 1 and 3, sign-extended. */
static inline uint32_t byoc_sxtb16(uint32_t x) {
  uint32_t r;
  __asm__("sxtb16 %0, %1" : "=r"(r) : "r"(x));
  return r;
}
static inline uint32_t byoc_sxtb16_odd(uint32_t x) {
  uint32_t r;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(r) : "r"(x));
  return r;
}
static inline uint32_t byoc_pack(int32_t low, int32_t high) {
  uint32_t r;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(r) : "r"(low), "r"(high));
  return r;
}

/* sum + products of the halves: both pairs; bottom by top; both bottoms; both
   tops. */
static inline int32_t byoc_smlad(uint32_t a, uint32_t b, int32_t sum) {
  int32_t r;
  __asm__("smlad %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
static inline int32_t byoc_smlabt(uint32_t a, uint32_t b, int32_t sum) {
  int32_t r;
  __asm__("smlabt %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
static inline int32_t byoc_smlabb(uint32_t a, uint32_t b, int32_t sum) {
  int32_t r;
  __asm__("smlabb %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
static inline int32_t byoc_smlatt(uint32_t a, uint32_t b, int32_t sum) {
  int32_t r;
  __asm__("smlatt %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}

/* The high word of a product, rounded to nearest, halves up. */
static inline int32_t byoc_smmulr(int32_t a, int32_t b) {
  int32_t r;
  __asm__("smmulr %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

#endif
