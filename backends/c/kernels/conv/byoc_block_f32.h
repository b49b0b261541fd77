/* 4 output channels by 4 pixels in 16 scalar registers. */
#ifndef BYOC_BLOCK_F32_H
#define BYOC_BLOCK_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"
#include "byoc_mac_f32.h"

#define BYOC_BLOCK_CHANNELS 4
#define BYOC_BLOCK_PIXELS 4

/* tile[channel][pixel] = sum over k of w[k][channel] * x[k * stride + pixel], + bias[channel].
   In that order, as the reference kernels of the frameworks add up: a large bias would take digits from every sum. */
static inline void byoc_block_product(int32_t depth, const float* BYOC_RESTRICT x, byoc_offset_t stride,
                                      const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias,
                                      float* BYOC_RESTRICT tile) {
  float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
  float b0 = 0, b1 = 0, b2 = 0, b3 = 0;
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  int32_t k;
  for (k = depth; k > 0; --k) {
    const float x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    const float wa = w[0], wb = w[1], wc = w[2], wd = w[3];
    BYOC_MAC(a0, wa, x0), BYOC_MAC(a1, wa, x1), BYOC_MAC(a2, wa, x2), BYOC_MAC(a3, wa, x3);
    BYOC_MAC(b0, wb, x0), BYOC_MAC(b1, wb, x1), BYOC_MAC(b2, wb, x2), BYOC_MAC(b3, wb, x3);
    BYOC_MAC(c0, wc, x0), BYOC_MAC(c1, wc, x1), BYOC_MAC(c2, wc, x2), BYOC_MAC(c3, wc, x3);
    BYOC_MAC(d0, wd, x0), BYOC_MAC(d1, wd, x1), BYOC_MAC(d2, wd, x2), BYOC_MAC(d3, wd, x3);
    x += stride;
    w += 4;
  }
  tile[0] = a0 + bias[0], tile[1] = a1 + bias[0], tile[2] = a2 + bias[0], tile[3] = a3 + bias[0];
  tile[4] = b0 + bias[1], tile[5] = b1 + bias[1], tile[6] = b2 + bias[1], tile[7] = b3 + bias[1];
  tile[8] = c0 + bias[2], tile[9] = c1 + bias[2], tile[10] = c2 + bias[2], tile[11] = c3 + bias[2];
  tile[12] = d0 + bias[3], tile[13] = d1 + bias[3], tile[14] = d2 + bias[3], tile[15] = d3 + bias[3];
}

#include "byoc_tile_f32.h"

#endif
