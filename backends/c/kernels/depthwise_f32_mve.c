/* Depthwise convolution on vectors of 4 channels (Armv8.1-M MVE with floats). */
#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include "byoc_row_taps_f32.h"
#include "byoc_vector_f32_mve.h"

static inline void store_channels(float32x4_t sums, int32_t channels, ptrdiff_t channel_step, byoc_bounds_f32_t bounds,
                                  float* y) {
  const mve_pred16_t lanes = vctp32q((uint32_t)channels);
  sums = byoc_clamp_vector(sums, bounds);
#if BYOC_CHANNELS_LAST
  (void)channel_step;
  vst1q_p_f32(y, sums, lanes);
#else
  vstrwq_scatter_shifted_offset_p_f32(y, vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)channel_step), sums, lanes);
#endif
}

/* One output; `at` is its first tap in a row of the ring. */
static inline void byoc_pixel_f32(const byoc_row_taps_t* t, ptrdiff_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, ptrdiff_t channel_step, float* y) {
  float32x4_t a = vld1q_f32(bias);
  const float* row = t->first;
  int32_t r, k;
  for (r = t->rows; r > 0; --r) {
    const float* x = row + at;
    for (k = t->columns; k > 0; --k, x += t->column_step, w += 4) a = vfmaq_f32(a, vld1q_f32(w), vld1q_f32(x));
    row += t->row_step;
    if (row >= t->end) row -= t->ring;
  }
  store_channels(a, channels, channel_step, bounds, y);
}

/* 4 outputs of a row. */
static inline void byoc_strip_f32(const byoc_row_taps_t* t, ptrdiff_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, ptrdiff_t channel_step,
                                  ptrdiff_t pixel_step, float* y) {
  float32x4_t a = vld1q_f32(bias), b = a, c = a, d = a;
  const ptrdiff_t one = t->pixel_step;
  const float* row = t->first;
  int32_t r, k;
  for (r = t->rows; r > 0; --r) {
    const float* x = row + at;
    if (t->columns == 3 && t->column_step == 4 && one == 4) {
      /* Neighbours share two of their three taps. */
      const float32x4_t w0 = vld1q_f32(w), w1 = vld1q_f32(w + 4), w2 = vld1q_f32(w + 8);
      float32x4_t v = vld1q_f32(x);
      a = vfmaq_f32(a, v, w0);
      v = vld1q_f32(x + 4);
      a = vfmaq_f32(a, v, w1), b = vfmaq_f32(b, v, w0);
      v = vld1q_f32(x + 8);
      a = vfmaq_f32(a, v, w2), b = vfmaq_f32(b, v, w1), c = vfmaq_f32(c, v, w0);
      v = vld1q_f32(x + 12);
      b = vfmaq_f32(b, v, w2), c = vfmaq_f32(c, v, w1), d = vfmaq_f32(d, v, w0);
      v = vld1q_f32(x + 16);
      c = vfmaq_f32(c, v, w2), d = vfmaq_f32(d, v, w1);
      v = vld1q_f32(x + 20);
      d = vfmaq_f32(d, v, w2);
      w += 12;
    } else {
      for (k = t->columns; k > 0; --k, x += t->column_step, w += 4) {
        const float32x4_t v = vld1q_f32(w);
        a = vfmaq_f32(a, v, vld1q_f32(x));
        b = vfmaq_f32(b, v, vld1q_f32(x + one));
        c = vfmaq_f32(c, v, vld1q_f32(x + 2 * one));
        d = vfmaq_f32(d, v, vld1q_f32(x + 3 * one));
      }
    }
    row += t->row_step;
    if (row >= t->end) row -= t->ring;
  }
  store_channels(a, channels, channel_step, bounds, y);
  store_channels(b, channels, channel_step, bounds, y + pixel_step);
  store_channels(c, channels, channel_step, bounds, y + 2 * pixel_step);
  store_channels(d, channels, channel_step, bounds, y + 3 * pixel_step);
}

#include "byoc_depthwise_loops_f32.h"
