/* Along the last dim (inner 1), of no more elements than a plain sum is good for. BYOC_LOG: the logarithm of it. */
#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include "byoc_functions_f32_mve.h"
#include "byoc_softmax_f32.h"

static inline float32x4_t greater(float32x4_t v, float32x4_t than) { return vpselq_f32(v, than, vcmpgtq_f32(v, than)); }

void BYOC_SYMBOL(int32_t outer, int32_t count, int32_t inner, float beta, const float* x, float* y) {
  int32_t o, k;
  (void)inner;
  for (o = 0; o < outer; ++o, x += count, y += count) {
    float32x4_t most = vdupq_n_f32(x[0]), sums = vdupq_n_f32(0.0f), factor;
    float greatest;
    for (k = 0; k < count; k += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(count - k));
      most = vpselq_f32(greater(vld1q_z_f32(x + k, some), most), most, some);
    }
    greatest = most[0];
    for (k = 1; k < 4; ++k) greatest = most[k] > greatest ? most[k] : greatest;
    for (k = 0; k < count; k += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(count - k));
      const float32x4_t away = vsubq_f32(vld1q_z_f32(x + k, some), vdupq_n_f32(greatest));
      const float32x4_t e = byoc_exp_vector(vmulq_n_f32(away, beta));
#if !defined(BYOC_LOG)
      vst1q_p_f32(y + k, e, some);
#endif
      sums = vaddq_m_f32(sums, sums, e, some);
    }
#if defined(BYOC_LOG)
    factor = byoc_log_vector(vdupq_n_f32((sums[0] + sums[1]) + (sums[2] + sums[3])));
    for (k = 0; k < count; k += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(count - k));
      const float32x4_t away = vsubq_f32(vld1q_z_f32(x + k, some), vdupq_n_f32(greatest));
      vst1q_p_f32(y + k, vsubq_f32(away, factor), some);
    }
#else
    factor = vdupq_n_f32(1.0f / ((sums[0] + sums[1]) + (sums[2] + sums[3])));
    for (k = 0; k < count; k += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(count - k));
      vst1q_p_f32(y + k, vmulq_f32(vld1q_z_f32(y + k, some), factor), some);
    }
#endif
  }
}
