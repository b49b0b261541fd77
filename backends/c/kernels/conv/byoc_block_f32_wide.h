/* 4 output channels by 8 pixels, for compilers that make vectors of the pixels. */
#ifndef BYOC_BLOCK_F32_H
#define BYOC_BLOCK_F32_H

#include "byoc_kernel.h"

#define BYOC_BLOCK_CHANNELS 4
#define BYOC_BLOCK_PIXELS 8

/* tile[channel][pixel] = sum over k of w[k][channel] * x[k * stride + pixel], + bias[channel]; see byoc_block_f32.h */
static inline void byoc_block_product(int32_t depth, const float* BYOC_RESTRICT x, ptrdiff_t stride,
                                      const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias,
                                      float* BYOC_RESTRICT tile) {
  float sum[4][8];
  int32_t k, r, i;
  for (r = 0; r < 4; ++r)
    for (i = 0; i < 8; ++i) sum[r][i] = 0;
  for (k = 0; k < depth; ++k) {
    for (r = 0; r < 4; ++r)
      for (i = 0; i < 8; ++i) sum[r][i] += w[r] * x[i];
    x += stride;
    w += 4;
  }
  for (r = 0; r < 4; ++r)
    for (i = 0; i < 8; ++i) tile[r * 8 + i] = sum[r][i] + bias[r];
}

#include "byoc_tile_f32.h"

#endif
