/* Requantisation of the sums of one channel on any core: what a channel needs is worked out once. */
#ifndef BYOC_CHANNEL_H
#define BYOC_CHANNEL_H

#include "byoc_requant.h"

static inline byoc_channel_t byoc_channel(const byoc_requant_t* r, int32_t channel) {
#if defined(BYOC_REQUANT_ONNX)
  byoc_channel_t c;
  (void)r;
  (void)channel;
  c.scale = c.start = c.shift = 0;
  return c;
#else
  const int32_t at = channel * r->step;
  return byoc_channel_of(((const int32_t*)r->scale)[at], r->shift[at], r->zero);
#endif
}

/* The high word of x * q + low for q >= 0; `low` has its lower 16 bits clear. */
static inline int32_t byoc_high_word(int32_t x, int32_t q, uint32_t low) {
#if defined(__thumb__) && !defined(__thumb2__)
  /* There is no multiplication to 64 bits: four to 32. */
  const int32_t high_x = x >> 16, high_q = q >> 16;
  const uint32_t low_x = (uint32_t)x & 0xffffu, low_q = (uint32_t)q & 0xffffu;
  const int32_t a = high_x * (int32_t)low_q, b = (int32_t)low_x * high_q;
  const uint32_t middle = (low_x * low_q >> 16) + ((uint32_t)a & 0xffffu) + ((uint32_t)b & 0xffffu) + (low >> 16);
  return high_x * high_q + (a >> 16) + (b >> 16) + (int32_t)(middle >> 16);
#else
  return (int32_t)(((int64_t)x * q + (int64_t)low) >> 32);
#endif
}

/* The sum scaled, with the zero point, not clamped. Only where c.shift is not 0. */
static inline int32_t byoc_scale_sum(byoc_channel_t c, int32_t x) {
#if defined(BYOC_REQUANT_EXACT)
  return (c.start + byoc_high_word(x, c.scale, 0)) >> c.shift;
#elif defined(__thumb2__)
  uint32_t low = ((uint32_t)x & 0x80000000u) | 0x40000000u;
  int32_t high = c.start + (x >> 31);
  __asm__("smlal %0, %1, %2, %3" : "+r"(low), "+r"(high) : "r"(x), "r"(c.scale));
  return high >> c.shift;
#else
  return (c.start + (x >> 31) + byoc_high_word(x, c.scale, ((uint32_t)x & 0x80000000u) | 0x40000000u)) >> c.shift;
#endif
}

/* Any channel, out of line: for those that the fast way does not cover. */
static BYOC_NOINLINE int32_t byoc_requantise_rare(const byoc_requant_t* r, int32_t channel, int32_t acc) {
  return byoc_requantise_sum(r, channel, (uint32_t)acc);
}

#if defined(__thumb2__) && !defined(BYOC_REQUANT_ONNX)
#define BYOC_SATURATED_RESULTS
#endif

/* The result of one sum; what it leaves of the activation's clamp is for byoc_finish. */
static inline int8_t byoc_result(const byoc_requant_t* r, byoc_channel_t c, int32_t channel, uint32_t acc) {
  int32_t y;
  if (!c.shift) return (int8_t)byoc_requantise_rare(r, channel, (int32_t)acc);
  y = byoc_scale_sum(c, (int32_t)acc);
#if defined(BYOC_SATURATED_RESULTS)
  __asm__("ssat %0, #8, %1" : "=r"(y) : "r"(y));
#else
  y = byoc_clamp(y, r->min, r->max);
#endif
  return (int8_t)y;
}

/* Called once with all `n` results of a step. */
static inline void byoc_finish(const byoc_requant_t* r, int8_t* y, int32_t n) {
#if defined(BYOC_SATURATED_RESULTS)
  byoc_narrow(r, y, n);
#else
  (void)r;
  (void)y;
  (void)n;
#endif
}

#endif
