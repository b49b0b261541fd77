/* Vectors of four floats (Armv8.1-M MVE). */
#ifndef BYOC_VECTOR_F32_MVE_H
#define BYOC_VECTOR_F32_MVE_H

#include <arm_mve.h>

#include "byoc_activation_f32.h"

/*
 * Bounds that leave a NaN as it is: vmaxnm would turn it into a bound, and so would "less than", which MVE's
 * comparisons take to be what "greater or equal" is not. GCC 12 moves predicates through core registers unless it is
 * told the instructions; clang, which does not, has no name for the predicate that it may not keep, and is kept from
 * seeing that all elements of a vector are one number, with which it would compare the other way round.
 */
#if defined(__clang__)
static inline float32x4_t byoc_splat(float x) {
  float32x4_t out = vdupq_n_f32(x);
  __asm__("" : "+w"(out));
  return out;
}
static inline float32x4_t byoc_at_least(float32x4_t v, float bound) {
  const float32x4_t b = byoc_splat(bound);
  return vpselq_f32(b, v, vcmpgtq_f32(b, v));
}
static inline float32x4_t byoc_at_most(float32x4_t v, float bound) {
  return vpselq_f32(vdupq_n_f32(bound), v, vcmpgtq_n_f32(v, bound));
}
#else
static inline float32x4_t byoc_at_least(float32x4_t v, float bound) {
  const float32x4_t b = vdupq_n_f32(bound);
  __asm__("vpt.f32 gt, %q1, %q0\n\tvmovt %q0, %q1" : "+&w"(v) : "w"(b) : "p0");
  return v;
}
static inline float32x4_t byoc_at_most(float32x4_t v, float bound) {
  __asm__("vpt.f32 gt, %q0, %1\n\tvdupt.32 %q0, %1" : "+w"(v) : "r"(bound) : "p0");
  return v;
}
#endif

static inline float32x4_t byoc_clamp_vector(float32x4_t v, byoc_bounds_f32_t bounds) {
  return byoc_at_most(byoc_at_least(v, bounds.lo), bounds.hi);
}

/* The first `count` lanes, 4 or fewer. */
static inline void byoc_store_some(float* y, float32x4_t v, int32_t count) {
  if (count >= 4) {
    vst1q_f32(y, v);
  } else {
    vst1q_p_f32(y, v, vctp32q((uint32_t)count));
  }
}

#endif
