/* Requantisation of several sums of one channel in a few instructions each. */
#ifndef BYOC_REQUANT_DSP_H
#define BYOC_REQUANT_DSP_H

#include "byoc_dsp.h"
#include "byoc_requant.h"

/*
 * byoc_multiply_q31 for right shifts from 2 to 23: the 64-bit sum starts from the rounding constants, 2^30 and
 * 2^(30 + right), less 2^31 below zero, so that only its high word is shifted, by right - 1. There the zero point fits
 * in beforehand: |product| <= 2^62, so the high word stays below 2^30 + 2^21 + 2^29. Exact is the same with the one
 * constant 2^(30 + right); the low word cannot carry into it. A shift that tells of ties is out of the range.
 */
typedef struct byoc_channel_dsp_t {
  int32_t scale; /* the multiplier; ONNX: the bits of the float */
  int32_t start; /* of the high word */
  int32_t shift; /* of the high word; 0: take byoc_requantise_any */
} byoc_channel_dsp_t;

static inline byoc_channel_dsp_t byoc_channel_dsp_of(int32_t multiplier, int32_t shift, int32_t zero) {
  byoc_channel_dsp_t c;
  c.scale = multiplier;
  c.shift = -1 - shift;
  if ((uint32_t)c.shift - 1u > 21u) c.shift = 0;
  c.start = (int32_t)((uint32_t)(2 * zero + 1) << (c.shift ? c.shift - 1 : 0));
  return c;
}

static inline byoc_channel_dsp_t byoc_channel_dsp(const byoc_requant_t* r, int32_t channel) {
  const int32_t at = channel * r->step;
#if defined(BYOC_REQUANT_ONNX)
  byoc_channel_dsp_t c;
  memcpy(&c.scale, (const float*)r->scale + at, sizeof c.scale);
  c.start = r->zero;
#if defined(__ARM_FP) && (__ARM_FP & 4)
  c.shift = 1;
#else
  c.shift = 0;
#endif
  return c;
#else
  return byoc_channel_dsp_of(((const int32_t*)r->scale)[at], r->shift[at], r->zero);
#endif
}

/* Any channel, out of line: for the few that the fast way does not cover. */
static __attribute__((noinline, unused)) int32_t byoc_requantise_any(const byoc_requant_t* r, int32_t channel,
                                                                     int32_t acc) {
  return byoc_requantise(r, channel, (uint32_t)acc);
}

/* Saturated to int8; what the activation clamps is left to byoc_narrow. Only where c.shift is not 0. */
static inline int32_t byoc_requantise_dsp(byoc_channel_dsp_t c, int32_t acc) {
  int32_t y;
#if defined(BYOC_REQUANT_ONNX)
#if defined(__ARM_FP) && (__ARM_FP & 4)
  float scale, x;
  memcpy(&scale, &c.scale, sizeof scale);
  x = (float)acc * scale;
  /* vcvtr rounds as the FPSCR says: to nearest, halves to even; it saturates. */
  __asm__("vcvtr.s32.f32 %0, %0\n\tvmov %1, %0" : "+t"(x), "=r"(y));
  __asm__("qadd %0, %0, %1" : "+r"(y) : "r"(c.start));
#else
  (void)acc;
  y = c.start;
#endif
#elif defined(BYOC_REQUANT_EXACT)
  y = c.start;
  __asm__("smmla %0, %1, %2, %0" : "+r"(y) : "r"(acc), "r"(c.scale));
  y >>= c.shift;
#else
  uint32_t low = ((uint32_t)acc & 0x80000000u) | 0x40000000u;
  y = c.start + (acc >> 31);
  __asm__("smlal %0, %1, %2, %3" : "+r"(low), "+r"(y) : "r"(acc), "r"(c.scale));
  y >>= c.shift;
#endif
  __asm__("ssat %0, #8, %1" : "=r"(y) : "r"(y));
  return y;
}

/* The activation's clamp of `n` results that were saturated only. */
static inline void byoc_narrow(const byoc_requant_t* r, int8_t* y, int32_t n) {
  if (r->min <= -128 && r->max >= 127) return;
  for (; n > 0; --n, ++y) *y = (int8_t)byoc_clamp(*y, r->min, r->max);
}

#endif
