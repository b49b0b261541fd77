/* What the kernels share. */
#ifndef TN_SUPPORT_H
#define TN_SUPPORT_H

#include "tiny_nn.h"

#pragma tiny_optimise(level = 3) /* known to one compiler alone */

#if defined(__GNUC__)
#define TN_HOT __attribute__((tiny_hot))
#else
#define TN_HOT
#endif

static TN_HOT int32_t tn_clamp(int32_t v, int32_t low, int32_t high) { return v < low ? low : v > high ? high : v; }

/* round(a * b / 2^31), halves up, saturated */
static int32_t tn_high_mul(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

/* x / 2^n, halves away from zero */
static int32_t tn_divide(int32_t x, int32_t n) {
  const int64_t half = n > 0 ? (int64_t)1 << (n - 1) : 0;
  return (int32_t)(x >= 0 ? (x + half) >> n : -((half - x) >> n));
}

static int32_t tn_scaled(int32_t x, tn_scale s) {
  const int32_t left = s.shift > 0 ? s.shift : 0, right = s.shift > 0 ? 0 : -s.shift;
  return tn_divide(tn_high_mul((int32_t)((uint32_t)x << left), s.multiplier), right);
}

static const int8_t* tn_pixel(const tn_dims* d, const int8_t* image, int32_t b, int32_t y, int32_t x) {
  return image + (((int64_t)b * d->height + y) * d->width + x) * d->channels;
}

#endif
