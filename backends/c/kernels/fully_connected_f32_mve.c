#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include "byoc_fully_connected_f32.h"
#include "byoc_vector_f32_mve.h"

BYOC_FULLY_CONNECTED_F32(BYOC_SYMBOL) {
  const ptrdiff_t block = (ptrdiff_t)p->depth * 4;
  int32_t row, unit, k;
  for (row = 0; row < p->rows; ++row, x += p->depth, y += p->units) {
    const float* weights = w;
    /* Four blocks: 16 units share each element of x. */
    for (unit = 0; unit + 16 <= p->units; unit += 16, weights += 4 * block) {
      const float *w0 = weights, *w1 = w0 + block, *w2 = w1 + block, *w3 = w2 + block, *from = x;
      float32x4_t a = vld1q_f32(bias + unit), b = vld1q_f32(bias + unit + 4);
      float32x4_t c = vld1q_f32(bias + unit + 8), d = vld1q_f32(bias + unit + 12);
      for (k = p->depth; k > 0; --k, w0 += 4, w1 += 4, w2 += 4, w3 += 4) {
        const float e = *from++;
        a = vfmaq_n_f32(a, vld1q_f32(w0), e);
        b = vfmaq_n_f32(b, vld1q_f32(w1), e);
        c = vfmaq_n_f32(c, vld1q_f32(w2), e);
        d = vfmaq_n_f32(d, vld1q_f32(w3), e);
      }
      vst1q_f32(y + unit, byoc_clamp_vector(a, p->bounds));
      vst1q_f32(y + unit + 4, byoc_clamp_vector(b, p->bounds));
      vst1q_f32(y + unit + 8, byoc_clamp_vector(c, p->bounds));
      vst1q_f32(y + unit + 12, byoc_clamp_vector(d, p->bounds));
    }
    for (; unit < p->units; unit += 4) {
      float32x4_t a = vld1q_f32(bias + unit);
      for (k = 0; k < p->depth; ++k, weights += 4) a = vfmaq_n_f32(a, vld1q_f32(weights), x[k]);
      vst1q_p_f32(y + unit, byoc_clamp_vector(a, p->bounds), vctp32q((uint32_t)(p->units - unit)));
    }
  }
}
