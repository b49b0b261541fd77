/* Vectors of four floats (Armv8.1-M MVE). */
#ifndef BYOC_VECTOR_F32_MVE_H
#define BYOC_VECTOR_F32_MVE_H

#include <arm_mve.h>

#include "byoc_activation_f32.h"

/* Selects rather than takes vmaxnm, which would turn a NaN into a bound. GCC 12 moves predicates through core registers
   unless it is told the instructions; clang, which does not, has no name for the predicate that it may not keep. */
#if defined(__clang__)
static inline float32x4_t byoc_at_least(float32x4_t v, float bound) {
  return vpselq_f32(vdupq_n_f32(bound), v, vcmpltq_n_f32(v, bound));
}
static inline float32x4_t byoc_at_most(float32x4_t v, float bound) {
  return vpselq_f32(vdupq_n_f32(bound), v, vcmpgtq_n_f32(v, bound));
}
#else
static inline float32x4_t byoc_at_least(float32x4_t v, float bound) {
  __asm__("vpt.f32 lt, %q0, %1\n\tvdupt.32 %q0, %1" : "+w"(v) : "r"(bound) : "p0");
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
