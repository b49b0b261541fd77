/* BYOC_ABOUT_ZERO: the mean counts as zero, so that elements are divided by the root of their mean square.
   BYOC_PLANES: a scale and a bias for each row. */
#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include "byoc_normalise.h"
#include "byoc_vector_f32_mve.h"

static inline float sum_of(float32x4_t v) { return (v[0] + v[1]) + (v[2] + v[3]); }

/* The mean is pivot + shift. Differences to an element of the row are small where the row's elements are close
   together, and then there is nothing left of them that rounding could enlarge. */
#if defined(BYOC_PLANES)
BYOC_NORMALISE_PLANES(BYOC_SYMBOL) {
#else
BYOC_NORMALISE_ROWS(BYOC_SYMBOL) {
#endif
  int32_t o, k;
  for (o = 0; o < rows; ++o, x += length, y += length) {
    float32x4_t pivot = vdupq_n_f32(0.0f), shift = pivot, squares = pivot;
    float factor;
#if !defined(BYOC_ABOUT_ZERO)
    float32x4_t differences = pivot;
    pivot = vdupq_n_f32(x[0]);
    for (k = 0; k < length; k += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(length - k));
      differences = vaddq_m_f32(differences, differences, vsubq_f32(vld1q_z_f32(x + k, some), pivot), some);
    }
    shift = vdupq_n_f32(sum_of(differences) / (float)length);
#endif
    for (k = 0; k < length; k += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(length - k));
      const float32x4_t away = vsubq_f32(vsubq_f32(vld1q_z_f32(x + k, some), pivot), shift);
      squares = vfmaq_m_f32(squares, away, away, some);
    }
    factor = 1.0f / sqrtf(sum_of(squares) / (float)length + epsilon);
#if defined(BYOC_PLANES)
    const float32x4_t all = vdupq_n_f32(bias[o % channels]);
    factor *= scale[o % channels];
    for (k = 0; k < length; k += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(length - k));
      const float32x4_t away = vsubq_f32(vsubq_f32(vld1q_z_f32(x + k, some), pivot), shift);
      vst1q_p_f32(y + k, vfmaq_n_f32(all, away, factor), some);
    }
#else
    for (k = 0; k < length; k += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(length - k));
      float32x4_t v = vmulq_n_f32(vsubq_f32(vsubq_f32(vld1q_z_f32(x + k, some), pivot), shift), factor);
      v = vmulq_f32(v, vld1q_z_f32(scale + k, some));
      if (bias) v = vaddq_f32(v, vld1q_z_f32(bias + k, some));
      vst1q_p_f32(y + k, v, some);
    }
#endif
  }
}
