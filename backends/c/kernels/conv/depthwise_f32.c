/* Depthwise convolution on scalar registers: 4 channels by 4 pixels. */
#include "byoc_activation_f32.h"
#include "byoc_mac_f32.h"
#include "byoc_row_taps_f32.h"

#if BYOC_CHANNELS_LAST
static inline void byoc_copy_channels(float* to, const float* from) {
  const float v0 = from[0], v1 = from[1], v2 = from[2], v3 = from[3];
  to[0] = v0, to[1] = v1, to[2] = v2, to[3] = v3;
}
#endif

/* `pixels` outputs of a block, [pixel][4 channels]; the bias comes last, see byoc_block_f32.h. has_lo and has_hi are
 * constants of the call. */
static inline void store_sums(const float* sums, const float* bias, int32_t pixels, int32_t channels,
                              byoc_offset_t channel_step, byoc_offset_t pixel_step, byoc_bounds_f32_t bounds,
                              int has_lo, int has_hi, float* y) {
  int32_t i, c;
  for (i = 0; i < pixels; ++i, y += pixel_step, sums += 4) {
    for (c = 0; c < channels; ++c) {
      float v = sums[c] + bias[c];
      if (has_lo) v = v < bounds.lo ? bounds.lo : v;
      if (has_hi) v = v > bounds.hi ? bounds.hi : v;
      y[c * channel_step] = v;
    }
  }
}

/* Out of line: it is as large as what computes the sums. */
static BYOC_NOINLINE void store(const float* sums, const float* bias, int32_t pixels, int32_t channels,
                                byoc_offset_t channel_step, byoc_offset_t pixel_step, byoc_bounds_f32_t bounds,
                                float* y) {
  if (channels == 4 && bounds.lo > -INFINITY && bounds.hi == INFINITY) {
    store_sums(sums, bias, pixels, 4, channel_step, pixel_step, bounds, 1, 0, y);
  } else {
    store_sums(sums, bias, pixels, channels, channel_step, pixel_step, bounds, 1, 1, y);
  }
}

/* One output; `at` is its first tap in a row of the ring. */
static inline void byoc_pixel_f32(const byoc_row_taps_t* t, byoc_offset_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, byoc_offset_t channel_step, float* y) {
  float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
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
  store(sums, bias, 1, channels, channel_step, 0, bounds, y);
}

/* 4 outputs of a row. */
static inline void byoc_strip_f32(const byoc_row_taps_t* t, byoc_offset_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, byoc_offset_t channel_step,
                                  byoc_offset_t pixel_step, float* y) {
  float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
  float b0 = 0, b1 = 0, b2 = 0, b3 = 0;
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  const byoc_offset_t one = t->pixel_step;
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
  store(sums, bias, 4, channels, channel_step, pixel_step, bounds, y);
}

/* Three taps of a kernel row for one channel of 4 neighbours, which share most of what they read. */
#define ROW_OF_STRIP(x, w)                                      \
  do {                                                          \
    const float w0 = (w)[0], w1 = (w)[4], w2 = (w)[8];          \
    float v = (x)[0];                                           \
    BYOC_MAC(a, w0, v);                                         \
    v = (x)[4];                                                 \
    BYOC_MAC(a, w1, v), BYOC_MAC(b, w0, v);                     \
    v = (x)[8];                                                 \
    BYOC_MAC(a, w2, v), BYOC_MAC(b, w1, v), BYOC_MAC(c, w0, v); \
    v = (x)[12];                                                \
    BYOC_MAC(b, w2, v), BYOC_MAC(c, w1, v), BYOC_MAC(d, w0, v); \
    v = (x)[16];                                                \
    BYOC_MAC(c, w2, v), BYOC_MAC(d, w1, v);                     \
    v = (x)[20];                                                \
    BYOC_MAC(d, w2, v);                                         \
  } while (0)

#define ROW_OF_PIXEL(x, w)                                                                 \
  do {                                                                                     \
    BYOC_MAC(a, (w)[0], (x)[0]), BYOC_MAC(a, (w)[4], (x)[4]), BYOC_MAC(a, (w)[8], (x)[8]); \
  } while (0)

/* A row of outputs of all 4 channels with a kernel of 3x3, no stride and no dilation, over the input rows p, q, r. */
static BYOC_NOINLINE void byoc_row_3x3_f32(const float* p, const float* q, const float* r, int32_t width,
                                           const float* w, const float* bias, byoc_bounds_f32_t bounds,
                                           byoc_offset_t channel_step, byoc_offset_t pixel_step, float* y) {
  int32_t k;
  for (; width >= 4; width -= 4, p += 16, q += 16, r += 16, y += 4 * pixel_step) {
    float sums[16];
    for (k = 0; k < 4; ++k) {
      float a = 0, b = 0, c = 0, d = 0;
      ROW_OF_STRIP(p + k, w + k);
      ROW_OF_STRIP(q + k, w + k + 12);
      ROW_OF_STRIP(r + k, w + k + 24);
      sums[k] = a, sums[k + 4] = b, sums[k + 8] = c, sums[k + 12] = d;
    }
    store(sums, bias, 4, 4, channel_step, pixel_step, bounds, y);
  }
  for (; width > 0; --width, p += 4, q += 4, r += 4, y += pixel_step) {
    float sums[4];
    for (k = 0; k < 4; ++k) {
      float a = 0;
      ROW_OF_PIXEL(p + k, w + k);
      ROW_OF_PIXEL(q + k, w + k + 12);
      ROW_OF_PIXEL(r + k, w + k + 24);
      sums[k] = a;
    }
    store(sums, bias, 1, 4, channel_step, 0, bounds, y);
  }
}

#include "byoc_depthwise_loops_f32.h"
