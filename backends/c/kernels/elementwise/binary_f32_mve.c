/* BYOC_OPERATION: an expression of the vectors u and v. BYOC_CLAMPED: see binary_f32.c. y may be an operand, which
   keeps compilers from making vectors of that kernel's loops. */
#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include "byoc_binary_f32.h"
#include "byoc_functions_f32_mve.h"

static inline float32x4_t operation(float32x4_t u, float32x4_t v, byoc_bounds_f32_t bounds) {
#if defined(BYOC_CLAMPED)
  return byoc_clamp_vector(BYOC_OPERATION, bounds);
#else
  (void)bounds;
  return BYOC_OPERATION;
#endif
}

/* One run of the last dim. */
static inline void run(int32_t count, const float* a, int32_t a_stride, const float* b, int32_t b_stride, float* y,
                       byoc_bounds_f32_t bounds) {
  int32_t i;
  if (a_stride && b_stride) {
    for (i = 0; i < count; i += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(count - i));
      vst1q_p_f32(y + i, operation(vld1q_z_f32(a + i, some), vld1q_z_f32(b + i, some), bounds), some);
    }
  } else if (a_stride) {
    const float32x4_t v = vdupq_n_f32(*b);
    for (i = 0; i < count; i += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(count - i));
      vst1q_p_f32(y + i, operation(vld1q_z_f32(a + i, some), v, bounds), some);
    }
  } else {
    const float32x4_t u = vdupq_n_f32(*a), all = vdupq_n_f32(*b);
    for (i = 0; i < count; i += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(count - i));
      vst1q_p_f32(y + i, operation(u, b_stride ? vld1q_z_f32(b + i, some) : all, bounds), some);
    }
  }
}

#include "byoc_binary_loops_f32.h"
