/* y[outer][channels][inner] = clamp(x * scale[channel] + shift[channel]); y may be x. */
#ifndef BYOC_AFFINE_F32_H
#define BYOC_AFFINE_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

typedef struct {
  int32_t outer, channels, inner;
  byoc_bounds_f32_t bounds;
} byoc_affine_f32_t;

void byoc_affine_f32(const byoc_affine_f32_t* p, const float* x, const float* scale, const float* shift, float* y);

#endif
