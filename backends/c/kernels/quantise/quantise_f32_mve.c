/* BYOC_TO: the element type of the results, BYOC_STORE: its store of four. BYOC_LOW, BYOC_HIGH: its range.
   BYOC_REQUANT_ONNX: halves go to even. */
#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include "byoc_functions_f32_mve.h"
#include "byoc_quantise.h"

#if defined(BYOC_REQUANT_ONNX)
#define NEAREST vcvtnq_s32_f32
#else
#define NEAREST vcvtaq_s32_f32
#endif

/* Conversions and the sum saturate, so that the bounds are right beyond 32 bits too; not-a-number is the least value.
 */
BYOC_QUANTISE(BYOC_SYMBOL, float, BYOC_TO) {
  const int32x4_t low = vdupq_n_s32(BYOC_LOW), high = vdupq_n_s32(BYOC_HIGH);
  int32_t o, c, i;
  for (o = 0; o < p->outer; ++o) {
    for (c = 0; c < p->channels; ++c, x += p->inner, y += p->inner) {
      const float32x4_t scale = vdupq_n_f32(p->scale[c]);
      const int32_t zero = p->zero[c];
      for (i = 0; i < p->inner; i += 4) {
        const mve_pred16_t some = vctp32q((uint32_t)(p->inner - i));
        const float32x4_t v = byoc_divide_vector(vld1q_z_f32(x + i, some), scale);
        int32x4_t q = vqaddq_n_s32(NEAREST(v), zero);
        q = vminq_s32(vmaxq_s32(q, low), high);
        BYOC_STORE((void*)(y + i), vpselq_s32(low, q, byoc_is_nan_vector(v)), some);
      }
    }
  }
}
