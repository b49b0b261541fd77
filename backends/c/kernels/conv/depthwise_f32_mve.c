/* Depthwise convolution on vectors of 4 channels (Armv8.1-M MVE with floats). */
#if !defined(__ARM_FEATURE_MVE) || !(__ARM_FEATURE_MVE & 2)
#error "this kernel needs MVE with floating point (-mcpu=cortex-m55 or the like)"
#endif

#include "byoc_row_taps_f32.h"
#include "byoc_vector_f32_mve.h"

#if BYOC_CHANNELS_LAST
static inline void byoc_copy_channels(float* to, const float* from) { vst1q_f32(to, vld1q_f32(from)); }
#endif

static inline void store_channels(float32x4_t sums, int32_t channels, byoc_offset_t channel_step,
                                  byoc_bounds_f32_t bounds, float* y) {
  sums = byoc_clamp_vector(sums, bounds);
#if BYOC_CHANNELS_LAST
  (void)channel_step;
  byoc_store_some(y, sums, channels);
#else
  vstrwq_scatter_shifted_offset_p_f32(y, vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)channel_step), sums,
                                      vctp32q((uint32_t)channels));
#endif
}

/* One output; `at` is its first tap in a row of the ring. */
static inline void byoc_pixel_f32(const byoc_row_taps_t* t, byoc_offset_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, byoc_offset_t channel_step, float* y) {
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
static inline void byoc_strip_f32(const byoc_row_taps_t* t, byoc_offset_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, byoc_offset_t channel_step,
                                  byoc_offset_t pixel_step, float* y) {
  float32x4_t a = vld1q_f32(bias), b = a, c = a, d = a;
  const byoc_offset_t one = t->pixel_step;
  const float* row = t->first;
  int32_t r, k;
  for (r = t->rows; r > 0; --r) {
    const float* x = row + at;
    for (k = t->columns; k > 0; --k, x += t->column_step, w += 4) {
      const float32x4_t v = vld1q_f32(w);
      a = vfmaq_f32(a, v, vld1q_f32(x));
      b = vfmaq_f32(b, v, vld1q_f32(x + one));
      c = vfmaq_f32(c, v, vld1q_f32(x + 2 * one));
      d = vfmaq_f32(d, v, vld1q_f32(x + 3 * one));
    }
    row += t->row_step;
    if (row >= t->end) row -= t->ring;
  }
  store_channels(a, channels, channel_step, bounds, y);
  store_channels(b, channels, channel_step, bounds, y + pixel_step);
  store_channels(c, channels, channel_step, bounds, y + 2 * pixel_step);
  store_channels(d, channels, channel_step, bounds, y + 3 * pixel_step);
}

/* Three taps of a kernel row for 4 neighbours, which share most of what they read. In assembly because GCC 12 loads
   everything first and has not the registers for it.
   Inputs: from_x: six quads of a row; from_w: three quads of weights; a to d: sums so far.
   Outputs: a to d: the sums of four neighbours.
   Clobbers: q4 to q6: the weights; q7: the elements; memory is read.
   Holds: a += x0 * w0 + x1 * w1 + x2 * w2, in this order; b, c and d the same from x1, x2 and x3 on. */
#define ROW_OF_STRIP(x, w)                                     \
  __asm__(                                                     \
      "vldrw.u32 q4, [%[from_w]]\n\t"                          \
      "vldrw.u32 q7, [%[from_x]]\n\t"                          \
      "vldrw.u32 q5, [%[from_w], #16]\n\t"                     \
      "vfma.f32 %q[a], q7, q4\n\t"                             \
      "vldrw.u32 q7, [%[from_x], #16]\n\t"                     \
      "vldrw.u32 q6, [%[from_w], #32]\n\t"                     \
      "vfma.f32 %q[b], q7, q4\n\t"                             \
      "vfma.f32 %q[a], q7, q5\n\t"                             \
      "vldrw.u32 q7, [%[from_x], #32]\n\t"                     \
      "vfma.f32 %q[c], q7, q4\n\t"                             \
      "vfma.f32 %q[b], q7, q5\n\t"                             \
      "vfma.f32 %q[a], q7, q6\n\t"                             \
      "vldrw.u32 q7, [%[from_x], #48]\n\t"                     \
      "vfma.f32 %q[d], q7, q4\n\t"                             \
      "vfma.f32 %q[c], q7, q5\n\t"                             \
      "vfma.f32 %q[b], q7, q6\n\t"                             \
      "vldrw.u32 q7, [%[from_x], #64]\n\t"                     \
      "vfma.f32 %q[d], q7, q5\n\t"                             \
      "vfma.f32 %q[c], q7, q6\n\t"                             \
      "vldrw.u32 q7, [%[from_x], #80]\n\t"                     \
      "vfma.f32 %q[d], q7, q6\n\t"                             \
      : [a] "+&w"(a), [b] "+&w"(b), [c] "+&w"(c), [d] "+&w"(d) \
      : [from_x] "r"(x), [from_w] "r"(w)                       \
      : "q4", "q5", "q6", "q7", "memory")

#define ROW_OF_PIXEL(x, w)                                    \
  do {                                                        \
    a = vfmaq_f32(a, vld1q_f32(x), vld1q_f32(w));             \
    a = vfmaq_f32(a, vld1q_f32((x) + 4), vld1q_f32((w) + 4)); \
    a = vfmaq_f32(a, vld1q_f32((x) + 8), vld1q_f32((w) + 8)); \
  } while (0)

/* A row of outputs of all 4 channels with a kernel of 3x3, no stride and no dilation, over the input rows p, q, r. */
static BYOC_NOINLINE void byoc_row_3x3_f32(const float* p, const float* q, const float* r, int32_t width,
                                           const float* w, const float* bias, byoc_bounds_f32_t bounds,
                                           byoc_offset_t channel_step, byoc_offset_t pixel_step, float* y) {
  for (; width >= 4; width -= 4, p += 16, q += 16, r += 16) {
    float32x4_t a = vld1q_f32(bias), b = a, c = a, d = a;
    ROW_OF_STRIP(p, w);
    ROW_OF_STRIP(q, w + 12);
    ROW_OF_STRIP(r, w + 24);
    store_channels(a, 4, channel_step, bounds, y);
    store_channels(b, 4, channel_step, bounds, y += pixel_step);
    store_channels(c, 4, channel_step, bounds, y += pixel_step);
    store_channels(d, 4, channel_step, bounds, y += pixel_step);
    y += pixel_step;
  }
  for (; width > 0; --width, p += 4, q += 4, r += 4, y += pixel_step) {
    float32x4_t a = vld1q_f32(bias);
    ROW_OF_PIXEL(p, w);
    ROW_OF_PIXEL(q, w + 12);
    ROW_OF_PIXEL(r, w + 24);
    store_channels(a, 4, channel_step, bounds, y);
  }
}

#include "byoc_depthwise_loops_f32.h"
