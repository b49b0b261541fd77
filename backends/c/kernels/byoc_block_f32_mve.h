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

/* One step of depth: 4 channels of w by 6 pixels of x. */
#define BYOC_STEP(x, w)                                               \
  do {                                                                \
    const float32x4_t v = vld1q_f32(w);                               \
    a0 = vfmaq_n_f32(a0, v, (x)[0]), a1 = vfmaq_n_f32(a1, v, (x)[1]); \
    a2 = vfmaq_n_f32(a2, v, (x)[2]), a3 = vfmaq_n_f32(a3, v, (x)[3]); \
    a4 = vfmaq_n_f32(a4, v, (x)[4]), a5 = vfmaq_n_f32(a5, v, (x)[5]); \
  } while (0)

static inline void byoc_block_f32(int32_t depth, const float* BYOC_RESTRICT x, ptrdiff_t stride,
                                  const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, int32_t pixels, ptrdiff_t channel_step,
                                  ptrdiff_t pixel_step, float* BYOC_RESTRICT y) {
  float32x4_t a0 = vld1q_f32(bias), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
  int32_t k;
  (void)channel_step;
  (void)stride;
  for (k = depth; k > 1; k -= 2, x += 2 * BYOC_BLOCK_PIXELS, w += 8) {
    BYOC_STEP(x, w);
    BYOC_STEP(x + BYOC_BLOCK_PIXELS, w + 4);
  }
  if (k > 0) BYOC_STEP(x, w);
  byoc_store_some(y, byoc_clamp_vector(a0, bounds), channels);
  if (pixels > 1) byoc_store_some(y += pixel_step, byoc_clamp_vector(a1, bounds), channels);
  if (pixels > 2) byoc_store_some(y += pixel_step, byoc_clamp_vector(a2, bounds), channels);
  if (pixels > 3) byoc_store_some(y += pixel_step, byoc_clamp_vector(a3, bounds), channels);
  if (pixels > 4) byoc_store_some(y += pixel_step, byoc_clamp_vector(a4, bounds), channels);
  if (pixels > 5) byoc_store_some(y += pixel_step, byoc_clamp_vector(a5, bounds), channels);
}

#else

#define BYOC_BLOCK_PIXELS 4

static inline void byoc_block_f32(int32_t depth, const float* BYOC_RESTRICT x, ptrdiff_t stride,
                                  const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, int32_t pixels, ptrdiff_t channel_step,
                                  ptrdiff_t pixel_step, float* BYOC_RESTRICT y) {
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
