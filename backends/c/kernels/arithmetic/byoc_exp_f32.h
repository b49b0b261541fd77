#ifndef BYOC_EXP_F32_H
#define BYOC_EXP_F32_H

#include "byoc_kernel.h"

#include <math.h>

/*
 * exp(x) to 2 units in the last place, 0 below 2^-126. That of C libraries tells errno of what overflows, which some
 * of them keep in a kilobyte of RAM. With n the integer nearest to x / ln 2 and r the rest, |r| < 0.35, it is 2^n times
 * the series of exp(r), whose next term is below 2^-27; n * 0.693359375 is exact, and ln 2 is less by 2.12194440e-4.
 */
static inline float byoc_exponential_f32(float x) {
  float r, y, power;
  int32_t n;
  uint32_t bits;
  if (!(x > -87.33f)) return x != x ? x : 0.0f;
  if (x > 88.72f) return INFINITY;
  n = (int32_t)(x * 1.44269504f + (x < 0.0f ? -0.5f : 0.5f));
  r = x - (float)n * 0.693359375f + (float)n * 2.12194440e-4f;
  y = 1.0f / 5040.0f;
  y = y * r + 1.0f / 720.0f;
  y = y * r + 1.0f / 120.0f;
  y = y * r + 1.0f / 24.0f;
  y = y * r + 1.0f / 6.0f;
  y = y * r + 0.5f;
  y = y * r + 1.0f;
  y = y * r + 1.0f;
  if (n > 127) {
    y *= 2.0f;
    --n;
  }
  bits = (uint32_t)(n + 127) << 23;
  memcpy(&power, &bits, sizeof power);
  return y * power;
}

#endif
