#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include "byoc_fully_connected_f32.h"
#include "byoc_vector_f32_mve.h"

BYOC_FULLY_CONNECTED_F32(BYOC_SYMBOL) {
  const byoc_offset_t block = (byoc_offset_t)p->depth * 4;
  int32_t row, unit, k;
  for (row = 0; row < p->rows; ++row, x += p->depth, y += p->units) {
    const float* weights = w;
    /* Four blocks: 16 units share each element of x. */
    for (unit = 0; unit + 16 <= p->units; unit += 16, weights += 4 * block) {
      const float *w0 = weights, *w1 = w0 + block, *w2 = w1 + block, *w3 = w2 + block, *from = x;
      float32x4_t a = vld1q_f32(bias + unit), b = vld1q_f32(bias + unit + 4);
      float32x4_t c = vld1q_f32(bias + unit + 8), d = vld1q_f32(bias + unit + 12);
      int32_t e;
      /* Inputs: from: k elements, 0 too; w0 to w3: a quad for each, of a block each; a to d: the bias.
         Outputs: a to d: the sums of 16 units; from, w0 to w3 behind what was read.
         Clobbers: e: the element; q4 to q7: weights; lr, flags; memory is read.
         Holds: a += w0[k] * x[k], b, c and d the same with w1, w2 and w3. In assembly because GCC 12 computes all
         addresses anew at -Os. */
      __asm__ volatile(
          "wls lr, %[k], 2f\n\t"
          "1:\n\t"
          "ldr %[e], [%[from]], #4\n\t"
          "vldrw.u32 q4, [%[w0]], #16\n\t"
          "vldrw.u32 q5, [%[w1]], #16\n\t"
          "vfma.f32 %q[a], q4, %[e]\n\t"
          "vldrw.u32 q6, [%[w2]], #16\n\t"
          "vfma.f32 %q[b], q5, %[e]\n\t"
          "vldrw.u32 q7, [%[w3]], #16\n\t"
          "vfma.f32 %q[c], q6, %[e]\n\t"
          "vfma.f32 %q[d], q7, %[e]\n\t"
          "le lr, 1b\n\t"
          "2:\n\t"
          : [a] "+&w"(a), [b] "+&w"(b), [c] "+&w"(c), [d] "+&w"(d), [from] "+&r"(from), [w0] "+&r"(w0), [w1] "+&r"(w1),
            [w2] "+&r"(w2), [w3] "+&r"(w3), [e] "=&r"(e)
          : [k] "r"(p->depth)
          : "lr", "q4", "q5", "q6", "q7", "cc", "memory");
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
