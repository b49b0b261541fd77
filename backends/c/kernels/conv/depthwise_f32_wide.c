/* Depthwise convolution on vectors of 4 channels. */
#define BYOC_LANES 4

#include "byoc_lanes_f32.h"

#include "byoc_activation_f32.h"
#include "byoc_row_taps_f32.h"

/* Rows become columns. */
static inline void transpose(byoc_lanes_t* a, byoc_lanes_t* b, byoc_lanes_t* c, byoc_lanes_t* d) {
#if defined(__clang__) || __GNUC__ >= 12
  const byoc_lanes_t low = __builtin_shufflevector(*a, *b, 0, 4, 1, 5),
                     high = __builtin_shufflevector(*a, *b, 2, 6, 3, 7);
  const byoc_lanes_t left = __builtin_shufflevector(*c, *d, 0, 4, 1, 5),
                     right = __builtin_shufflevector(*c, *d, 2, 6, 3, 7);
  *a = __builtin_shufflevector(low, left, 0, 1, 4, 5);
  *b = __builtin_shufflevector(low, left, 2, 3, 6, 7);
  *c = __builtin_shufflevector(high, right, 0, 1, 4, 5);
  *d = __builtin_shufflevector(high, right, 2, 3, 6, 7);
#else
  const byoc_lanes_t p = *a, q = *b, r = *c, s = *d;
  int i;
  for (i = 0; i < 4; ++i) {
    byoc_lanes_t* to = i == 0 ? a : i == 1 ? b : i == 2 ? c : d;
    (*to)[0] = p[i], (*to)[1] = q[i], (*to)[2] = r[i], (*to)[3] = s[i];
  }
#endif
}

#if BYOC_CHANNELS_LAST
static inline void byoc_copy_channels(float* to, const float* from) { byoc_store_lanes(to, byoc_load_lanes(from)); }
#else
/* `width` pixels of 4 channels that are `plane` apart, each pixel's next to each other. */
static inline void byoc_copy_planes(float* to, const float* from, byoc_offset_t plane, int32_t width) {
  int32_t i = 0, c;
  for (; i + 4 <= width; i += 4, to += 16, from += 4) {
    byoc_lanes_t a = byoc_load_lanes(from), b = byoc_load_lanes(from + plane), c2 = byoc_load_lanes(from + 2 * plane),
                 d = byoc_load_lanes(from + 3 * plane);
    transpose(&a, &b, &c2, &d);
    byoc_store_lanes(to, a), byoc_store_lanes(to + 4, b), byoc_store_lanes(to + 8, c2), byoc_store_lanes(to + 12, d);
  }
  for (; i < width; ++i, to += 4, ++from)
    for (c = 0; c < 4; ++c) to[c] = from[c * plane];
}
#define BYOC_COPY_PLANES byoc_copy_planes
#endif

static inline byoc_lanes_t clamped(byoc_lanes_t v, byoc_bounds_f32_t bounds) {
  int i;
  for (i = 0; i < 4; ++i) v[i] = v[i] < bounds.lo ? bounds.lo : v[i];
  for (i = 0; i < 4; ++i) v[i] = v[i] > bounds.hi ? bounds.hi : v[i];
  return v;
}

/* The bias comes last, see byoc_block_f32.h. */
static inline void store_pixel(byoc_lanes_t sums, const float* bias, int32_t channels, byoc_offset_t channel_step,
                               byoc_bounds_f32_t bounds, float* y) {
  int32_t c;
  sums = clamped(sums + byoc_load_lanes(bias), bounds);
  for (c = 0; c < channels; ++c) y[c * channel_step] = sums[c];
}

/* 4 pixels. */
static inline void store_strip(byoc_lanes_t a, byoc_lanes_t b, byoc_lanes_t c, byoc_lanes_t d, const float* bias,
                               int32_t channels, byoc_offset_t channel_step, byoc_offset_t pixel_step,
                               byoc_bounds_f32_t bounds, float* y) {
  if (channels == 4 && (channel_step == 1 || pixel_step == 1)) {
    const byoc_lanes_t add = byoc_load_lanes(bias);
    const byoc_offset_t next = channel_step == 1 ? pixel_step : channel_step;
    a = clamped(a + add, bounds), b = clamped(b + add, bounds);
    c = clamped(c + add, bounds), d = clamped(d + add, bounds);
    if (channel_step != 1) transpose(&a, &b, &c, &d);
    byoc_store_lanes(y, a), byoc_store_lanes(y + next, b);
    byoc_store_lanes(y + 2 * next, c), byoc_store_lanes(y + 3 * next, d);
    return;
  }
  store_pixel(a, bias, channels, channel_step, bounds, y);
  store_pixel(b, bias, channels, channel_step, bounds, y + pixel_step);
  store_pixel(c, bias, channels, channel_step, bounds, y + 2 * pixel_step);
  store_pixel(d, bias, channels, channel_step, bounds, y + 3 * pixel_step);
}

/* One output; `at` is its first tap in a row of the ring. */
static inline void byoc_pixel_f32(const byoc_row_taps_t* t, byoc_offset_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, byoc_offset_t channel_step, float* y) {
  byoc_lanes_t a = {0};
  const float* row = t->first;
  int32_t r, k;
  for (r = t->rows; r > 0; --r) {
    const float* x = row + at;
    for (k = t->columns; k > 0; --k, x += t->column_step, w += 4)
      a = byoc_mac_lanes(a, byoc_load_lanes(w), byoc_load_lanes(x));
    row += t->row_step;
    if (row >= t->end) row -= t->ring;
  }
  store_pixel(a, bias, channels, channel_step, bounds, y);
}

/* 4 outputs of a row. */
static inline void byoc_strip_f32(const byoc_row_taps_t* t, byoc_offset_t at, const float* w, const float* bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, byoc_offset_t channel_step,
                                  byoc_offset_t pixel_step, float* y) {
  byoc_lanes_t a = {0}, b = {0}, c = {0}, d = {0};
  const byoc_offset_t one = t->pixel_step;
  const float* row = t->first;
  int32_t r, k;
  for (r = t->rows; r > 0; --r) {
    const float* x = row + at;
    for (k = t->columns; k > 0; --k, x += t->column_step, w += 4) {
      const byoc_lanes_t v = byoc_load_lanes(w);
      a = byoc_mac_lanes(a, v, byoc_load_lanes(x));
      b = byoc_mac_lanes(b, v, byoc_load_lanes(x + one));
      c = byoc_mac_lanes(c, v, byoc_load_lanes(x + 2 * one));
      d = byoc_mac_lanes(d, v, byoc_load_lanes(x + 3 * one));
    }
    row += t->row_step;
    if (row >= t->end) row -= t->ring;
  }
  store_strip(a, b, c, d, bias, channels, channel_step, pixel_step, bounds, y);
}

/* Three taps of a kernel row for 4 neighbours, which share most of what they read. */
#define ROW_OF_STRIP(x, w)                                                                                    \
  do {                                                                                                        \
    const byoc_lanes_t w0 = byoc_load_lanes(w), w1 = byoc_load_lanes((w) + 4), w2 = byoc_load_lanes((w) + 8); \
    byoc_lanes_t v = byoc_load_lanes(x);                                                                      \
    a = byoc_mac_lanes(a, w0, v);                                                                             \
    v = byoc_load_lanes((x) + 4);                                                                             \
    a = byoc_mac_lanes(a, w1, v), b = byoc_mac_lanes(b, w0, v);                                               \
    v = byoc_load_lanes((x) + 8);                                                                             \
    a = byoc_mac_lanes(a, w2, v), b = byoc_mac_lanes(b, w1, v), c = byoc_mac_lanes(c, w0, v);                 \
    v = byoc_load_lanes((x) + 12);                                                                            \
    b = byoc_mac_lanes(b, w2, v), c = byoc_mac_lanes(c, w1, v), d = byoc_mac_lanes(d, w0, v);                 \
    v = byoc_load_lanes((x) + 16);                                                                            \
    c = byoc_mac_lanes(c, w2, v), d = byoc_mac_lanes(d, w1, v);                                               \
    d = byoc_mac_lanes(d, w2, byoc_load_lanes((x) + 20));                                                     \
  } while (0)

#define ROW_OF_PIXEL(x, w)                                                     \
  do {                                                                         \
    a = byoc_mac_lanes(a, byoc_load_lanes(w), byoc_load_lanes(x));             \
    a = byoc_mac_lanes(a, byoc_load_lanes((w) + 4), byoc_load_lanes((x) + 4)); \
    a = byoc_mac_lanes(a, byoc_load_lanes((w) + 8), byoc_load_lanes((x) + 8)); \
  } while (0)

/* A row of outputs of all 4 channels with a kernel of 3x3, no stride and no dilation, over the input rows p, q, r. */
static BYOC_NOINLINE void byoc_row_3x3_f32(const float* p, const float* q, const float* r, int32_t width,
                                           const float* w, const float* bias, byoc_bounds_f32_t bounds,
                                           byoc_offset_t channel_step, byoc_offset_t pixel_step, float* y) {
  for (; width >= 4; width -= 4, p += 16, q += 16, r += 16, y += 4 * pixel_step) {
    byoc_lanes_t a = {0}, b = {0}, c = {0}, d = {0};
    ROW_OF_STRIP(p, w);
    ROW_OF_STRIP(q, w + 12);
    ROW_OF_STRIP(r, w + 24);
    store_strip(a, b, c, d, bias, 4, channel_step, pixel_step, bounds, y);
  }
  for (; width > 0; --width, p += 4, q += 4, r += 4, y += pixel_step) {
    byoc_lanes_t a = {0};
    ROW_OF_PIXEL(p, w);
    ROW_OF_PIXEL(q, w + 12);
    ROW_OF_PIXEL(r, w + 24);
    store_pixel(a, bias, 4, channel_step, bounds, y);
  }
}

#include "byoc_depthwise_loops_f32.h"
