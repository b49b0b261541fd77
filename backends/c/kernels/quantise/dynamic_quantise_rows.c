/*
 * Rows of floats as int8, each with the scale that its own range asks for. BYOC_SYMMETRIC: the zero point is 0, and
 * -128 is not used; else it comes from the end of the range that is nearer to 0.
 */
#include "byoc_quantise_any.h"

/* Halves away from zero, within the range of the results. NaN, of elements that are infinite, is 0. */
static int8_t nearest(float v, int32_t low) {
  int32_t whole;
  float rest;
  if (v != v) return 0;
  if (v <= (float)low) return (int8_t)low;
  if (v >= 127.0f) return 127;
  whole = (int32_t)v;
  rest = v - (float)whole;
  return (int8_t)(rest >= 0.5f ? whole + 1 : rest <= -0.5f ? whole - 1 : whole);
}

#if BYOC_SYMMETRIC
static void choose(float low, float high, float* scale, float* factor, int32_t* zero) {
  const float range = -low > high ? -low : high;
  *zero = 0;
  *scale = range == 0.0f ? 1.0f : range / 127.0f;
  *factor = range == 0.0f ? 0.0f : 127.0f / range;
}
#else
static void choose(float low, float high, float* scale, float* factor, int32_t* zero) {
  const double range = (double)high - (double)low, step = range / 255.0;
  double at;
  *zero = 0;
  *scale = 1.0f;
  *factor = 0.0f;
  if (low == high) return;
  at = 128.0 - (double)low / step < 127.0 + (double)high / step ? -128.0 - (double)low / step
                                                                : 127.0 - (double)high / step;
  at = at < -128.0 ? -128.0 : at > 127.0 ? 127.0 : at;
  *zero = at != at ? 0 : (int32_t)(at < 0.0 ? at - 0.5 : at + 0.5);
  *scale = (float)step;
  *factor = 1.0f / *scale;
}
#endif

BYOC_DYNAMIC_QUANTISE_ROWS(BYOC_SYMBOL) {
  int32_t r, i, at;
  for (r = 0; r < rows; ++r, x += length, y += length) {
    float low = 0.0f, high = 0.0f, factor;
    for (i = 0; i < length; ++i) {
      low = x[i] < low ? x[i] : low;
      high = x[i] > high ? x[i] : high;
    }
    choose(low, high, &scale[r], &factor, &at);
    zero[r] = (int8_t)at;
    for (i = 0; i < length; ++i) y[i] = nearest((float)at + x[i] * factor, BYOC_SYMMETRIC ? -127 : -128);
  }
}
