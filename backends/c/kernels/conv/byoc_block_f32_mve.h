/* 4 output channels by some pixels in vector registers (Armv8.1-M MVE with floats). Channels last: a vector holds 4
   channels of one of 6 pixels; channels first: 4 pixels of one of 4 channels. Needs BYOC_CHANNELS_LAST. */
#ifndef BYOC_BLOCK_F32_H
#define BYOC_BLOCK_F32_H

#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include <arm_mve.h>

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"
#include "byoc_vector_f32_mve.h"

#define BYOC_BLOCK_CHANNELS 4

#if BYOC_CHANNELS_LAST

#define BYOC_BLOCK_PIXELS 6

#define BYOC_FOR_BLOCK(clamp, bound)                                                                                 \
  a0 = clamp(a0, bound), a1 = clamp(a1, bound), a2 = clamp(a2, bound), a3 = clamp(a3, bound), a4 = clamp(a4, bound), \
  a5 = clamp(a5, bound)

static inline void byoc_block_f32(int32_t depth, const float* x, byoc_offset_t stride, const float* w,
                                  const float* bias, byoc_bounds_f32_t bounds, int32_t channels, int32_t pixels,
                                  byoc_offset_t channel_step, byoc_offset_t pixel_step, float* y) {
  float32x4_t a0 = vld1q_f32(bias), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
  (void)channel_step;
  (void)stride;
  /* Inputs: x: six floats for each k; w: four floats for each k; k: depth, 0 too; a0 to a5: the bias.
     Outputs: a0 to a5: the sums of six pixels by four channels; x and w behind what was read.
     Clobbers: r2 to r5, r8, r9: the elements; q7: the weights; lr, flags; memory is read.
     Holds: a<i> += w[k] * x[k][i]. Six pixels are loaded at once, which compilers do not do: they need registers in
     order. */
  __asm__ volatile(
      "wls lr, %[k], 2f\n\t"
      "1:\n\t"
      "vldrw.u32 q7, [%[w]], #16\n\t"
      "ldmia %[x]!, {r2, r3, r4, r5, r8, r9}\n\t"
      "vfma.f32 %q[a0], q7, r2\n\t"
      "vfma.f32 %q[a1], q7, r3\n\t"
      "vfma.f32 %q[a2], q7, r4\n\t"
      "vfma.f32 %q[a3], q7, r5\n\t"
      "vfma.f32 %q[a4], q7, r8\n\t"
      "vfma.f32 %q[a5], q7, r9\n\t"
      "le lr, 1b\n\t"
      "2:\n\t"
      : [a0] "+&w"(a0), [a1] "+&w"(a1), [a2] "+&w"(a2), [a3] "+&w"(a3), [a4] "+&w"(a4), [a5] "+&w"(a5), [x] "+&r"(x),
        [w] "+&r"(w)
      : [k] "r"(depth)
      : "r2", "r3", "r4", "r5", "r8", "r9", "lr", "q7", "cc", "memory");
  if (bounds.lo > -INFINITY) BYOC_FOR_BLOCK(byoc_at_least, bounds.lo);
  if (bounds.hi < INFINITY) BYOC_FOR_BLOCK(byoc_at_most, bounds.hi);
  if (channels == BYOC_BLOCK_CHANNELS && pixels == BYOC_BLOCK_PIXELS) {
    vst1q_f32(y, a0);
    vst1q_f32(y += pixel_step, a1);
    vst1q_f32(y += pixel_step, a2);
    vst1q_f32(y += pixel_step, a3);
    vst1q_f32(y += pixel_step, a4);
    vst1q_f32(y + pixel_step, a5);
  } else {
    float tile[4 * BYOC_BLOCK_PIXELS];
    int32_t i;
    vst1q_f32(tile, a0), vst1q_f32(tile + 4, a1), vst1q_f32(tile + 8, a2);
    vst1q_f32(tile + 12, a3), vst1q_f32(tile + 16, a4), vst1q_f32(tile + 20, a5);
    for (i = 0; i < pixels; ++i, y += pixel_step) vst1q_p_f32(y, vld1q_f32(tile + 4 * i), vctp32q((uint32_t)channels));
  }
}

#else

#define BYOC_BLOCK_PIXELS 4

static inline void byoc_block_f32(int32_t depth, const float* BYOC_RESTRICT x, byoc_offset_t stride,
                                  const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, int32_t pixels,
                                  byoc_offset_t channel_step, byoc_offset_t pixel_step, float* BYOC_RESTRICT y) {
  float32x4_t a0 = vdupq_n_f32(bias[0]), a1 = vdupq_n_f32(bias[1]);
  float32x4_t a2 = vdupq_n_f32(bias[2]), a3 = vdupq_n_f32(bias[3]);
  int32_t k;
  (void)pixel_step;
  for (k = depth; k > 0; --k) {
    const float32x4_t v = vld1q_f32(x);
    a0 = vfmaq_n_f32(a0, v, w[0]);
    a1 = vfmaq_n_f32(a1, v, w[1]);
    a2 = vfmaq_n_f32(a2, v, w[2]);
    a3 = vfmaq_n_f32(a3, v, w[3]);
    x += stride;
    w += 4;
  }
  byoc_store_some(y, byoc_clamp_vector(a0, bounds), pixels);
  if (channels > 1) byoc_store_some(y += channel_step, byoc_clamp_vector(a1, bounds), pixels);
  if (channels > 2) byoc_store_some(y += channel_step, byoc_clamp_vector(a2, bounds), pixels);
  if (channels > 3) byoc_store_some(y += channel_step, byoc_clamp_vector(a3, bounds), pixels);
}

#endif

#endif
