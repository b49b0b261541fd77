/* Depthwise convolution on scalar registers: 4 channels by 4 pixels. */
#include "byoc_activation_f32.h"
#include "byoc_mac_f32.h"
#include "byoc_row_taps_f32.h"

static inline void store_channels(const float* sums, int32_t channels, ptrdiff_t channel_step, byoc_bounds_f32_t bounds,
                                  float* y) {
  int32_t c;
  for (c = 0; c < channels; ++c) y[c * channel_step] = byoc_clamp_f32(sums[c], bounds);
}

/* One output; `at` is its first tap in a row of the ring. */
static inline void byoc_pixel_f32(const byoc_row_taps_t* t, ptrdiff_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, ptrdiff_t channel_step, float* y) {
  float a0 = bias[0], a1 = bias[1], a2 = bias[2], a3 = bias[3];
  const float* row = t->first;
  float sums[4];
  int32_t r, k;
  for (r = t->rows; r > 0; --r) {
    const float* x = row + at;
    for (k = t->columns; k > 0; --k, x += t->column_step, w += 4) {
      BYOC_MAC(a0, w[0], x[0]);
      BYOC_MAC(a1, w[1], x[1]);
      BYOC_MAC(a2, w[2], x[2]);
      BYOC_MAC(a3, w[3], x[3]);
    }
    row += t->row_step;
    if (row >= t->end) row -= t->ring;
  }
  sums[0] = a0, sums[1] = a1, sums[2] = a2, sums[3] = a3;
  store_channels(sums, channels, channel_step, bounds, y);
}

/* 4 outputs of a row. */
static inline void byoc_strip_f32(const byoc_row_taps_t* t, ptrdiff_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, ptrdiff_t channel_step,
                                  ptrdiff_t pixel_step, float* y) {
  float a0 = bias[0], a1 = bias[1], a2 = bias[2], a3 = bias[3];
  float b0 = a0, b1 = a1, b2 = a2, b3 = a3;
  float c0 = a0, c1 = a1, c2 = a2, c3 = a3;
  float d0 = a0, d1 = a1, d2 = a2, d3 = a3;
  const ptrdiff_t one = t->pixel_step;
  const float* row = t->first;
  float sums[16];
  int32_t r, k;
  for (r = t->rows; r > 0; --r) {
    const float* x = row + at;
    for (k = t->columns; k > 0; --k, x += t->column_step, w += 4) {
      const float w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
      const float *u = x + one, *v = u + one, *z = v + one;
      BYOC_MAC(a0, w0, x[0]), BYOC_MAC(a1, w1, x[1]), BYOC_MAC(a2, w2, x[2]), BYOC_MAC(a3, w3, x[3]);
      BYOC_MAC(b0, w0, u[0]), BYOC_MAC(b1, w1, u[1]), BYOC_MAC(b2, w2, u[2]), BYOC_MAC(b3, w3, u[3]);
      BYOC_MAC(c0, w0, v[0]), BYOC_MAC(c1, w1, v[1]), BYOC_MAC(c2, w2, v[2]), BYOC_MAC(c3, w3, v[3]);
      BYOC_MAC(d0, w0, z[0]), BYOC_MAC(d1, w1, z[1]), BYOC_MAC(d2, w2, z[2]), BYOC_MAC(d3, w3, z[3]);
    }
    row += t->row_step;
    if (row >= t->end) row -= t->ring;
  }
  sums[0] = a0, sums[1] = a1, sums[2] = a2, sums[3] = a3;
  sums[4] = b0, sums[5] = b1, sums[6] = b2, sums[7] = b3;
  sums[8] = c0, sums[9] = c1, sums[10] = c2, sums[11] = c3;
  sums[12] = d0, sums[13] = d1, sums[14] = d2, sums[15] = d3;
  for (r = 0; r < 4; ++r, y += pixel_step) store_channels(sums + 4 * r, channels, channel_step, bounds, y);
}

#include "byoc_depthwise_loops_f32.h"
