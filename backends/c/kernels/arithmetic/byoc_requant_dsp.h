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

/* Scales of 1/4 and more, exact ones below 1/2, which weights of few bits come with: their steps are large. */
typedef struct byoc_large_t {
  int32_t scale, zero;
  int32_t left;  /* what comes before the multiplication; below 0: this way does not cover the channel */
  uint32_t half; /* added from 0 upwards: for a right shift of one, which halves away from zero round */
} byoc_large_t;

static inline byoc_large_t byoc_large_dsp(const byoc_requant_t* r, int32_t channel) {
  byoc_large_t c;
#if defined(BYOC_REQUANT_ONNX)
  (void)channel;
  c.scale = 0;
  c.left = -1;
  c.half = 0;
#else
  const int32_t shift = r->shift[channel * r->step];
  c.scale = ((const int32_t*)r->scale)[channel * r->step];
#if defined(BYOC_REQUANT_EXACT)
  c.left = shift == -1 ? 0 : -1;
  c.half = 0;
#else
  c.left = shift < -1 ? -1 : shift < 0 ? 0 : shift;
  c.half = shift < 0 ? 0x80000000u : 0;
#endif
#endif
  c.zero = r->zero;
  return c;
}

/* Saturated to int8, as byoc_requantise_dsp does. Only where c.left is not below 0. */
static inline int32_t byoc_requantise_large(byoc_large_t c, int32_t acc) {
#if defined(BYOC_REQUANT_EXACT)
  int32_t y = (int32_t)(((int64_t)acc * c.scale + 0x80000000) >> 32);
#else
  const uint32_t half = c.half & ~(uint32_t)(acc >> 31);
  const int64_t sum = (int64_t)(int32_t)((uint32_t)acc << c.left) * c.scale + 0x40000000 + (int64_t)half;
  int32_t y = (int32_t)(sum >> 32);
  if (!c.half) y = (int32_t)((uint32_t)y << 1 | (uint32_t)sum >> 31);
#endif
  __asm__("qadd %0, %0, %1" : "+r"(y) : "r"(c.zero));
  __asm__("ssat %0, #8, %1" : "=r"(y) : "r"(y));
  return y;
}

#endif
