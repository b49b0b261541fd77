/* Vectors of four floats (Armv8.1-M MVE). */
#ifndef BYOC_VECTOR_F32_MVE_H
#define BYOC_VECTOR_F32_MVE_H

#include <arm_mve.h>

#include "byoc_activation_f32.h"

/* Selects rather than takes vmaxnm, which would turn a NaN into a bound. */
static inline float32x4_t byoc_clamp_vector(float32x4_t v, byoc_bounds_f32_t bounds) {
  v = vpselq_f32(vdupq_n_f32(bounds.lo), v, vcmpltq_n_f32(v, bounds.lo));
  return vpselq_f32(vdupq_n_f32(bounds.hi), v, vcmpgtq_n_f32(v, bounds.hi));
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
