/* The fused activation of a float kernel: a clamp. Infinite bounds clamp nothing; a NaN stays one. */
#ifndef BYOC_ACTIVATION_F32_H
#define BYOC_ACTIVATION_F32_H

#include <math.h>

typedef struct {
  float lo, hi;
} byoc_bounds_f32_t;

static inline float byoc_clamp_f32(float v, byoc_bounds_f32_t bounds) {
  v = v < bounds.lo ? bounds.lo : v;
  return v > bounds.hi ? bounds.hi : v;
}

#endif
