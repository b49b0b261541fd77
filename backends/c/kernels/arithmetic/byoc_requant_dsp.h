/* Requantisation of several sums of one channel in a few instructions each. */
#ifndef BYOC_REQUANT_DSP_H
#define BYOC_REQUANT_DSP_H

#include "byoc_dsp.h"
#include "byoc_requant.h"

/* With BYOC_REQUANT_ONNX the bits of the float scale and the zero point; shift 0 where there is no such float. */
static inline byoc_channel_t byoc_channel_dsp(const byoc_requant_t* r, int32_t channel) {
  const int32_t at = channel * r->step;
#if defined(BYOC_REQUANT_ONNX)
  byoc_channel_t c;
  memcpy(&c.scale, (const float*)r->scale + at, sizeof c.scale);
  c.start = r->zero;
#if defined(__ARM_FP) && (__ARM_FP & 4)
  c.shift = 1;
#else
  c.shift = 0;
#endif
  return c;
#else
  return byoc_channel_of(((const int32_t*)r->scale)[at], r->shift[at], r->zero);
#endif
}

/* Any channel, out of line: for the few that the fast way does not cover. */
static __attribute__((noinline, unused)) int32_t byoc_requantise_any(const byoc_requant_t* r, int32_t channel,
                                                                     int32_t acc) {
  return byoc_requantise(r, channel, (uint32_t)acc);
}

/* Saturated to int8; what the activation clamps is left to byoc_narrow. Only where c.shift is not 0. */
static inline int32_t byoc_requantise_dsp(byoc_channel_t c, int32_t acc) {
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

#endif
