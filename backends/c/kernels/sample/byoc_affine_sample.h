#ifndef BYOC_AFFINE_SAMPLE_H
#define BYOC_AFFINE_SAMPLE_H

#include "byoc_kernel.h"

/* x[height][width][channels] sampled at where the first two rows of m[4][4] place y[out_height][out_width][channels].
 */
typedef struct {
  int32_t height, width, channels, out_height, out_width;
} byoc_affine_sample_t;

#define BYOC_AFFINE_SAMPLE(name) void name(const byoc_affine_sample_t* p, const float* x, const float* m, float* y)

#endif
