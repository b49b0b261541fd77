/* BYOC_FUNCTION: an expression of the vector v, and of the numbers a and b. */
#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include "byoc_functions_f32_mve.h"
#include "byoc_unary.h"

BYOC_UNARY(BYOC_SYMBOL, float, float, float) {
  int32_t i;
  (void)a;
  (void)b;
  for (i = 0; i < count; i += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)(count - i));
    const float32x4_t v = vld1q_z_f32(x + i, some);
    vst1q_p_f32(y + i, BYOC_FUNCTION, some);
  }
}
