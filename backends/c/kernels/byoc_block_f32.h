/* 4 output channels by 4 pixels in 16 scalar registers. */
#ifndef BYOC_BLOCK_F32_H
#define BYOC_BLOCK_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"
#include "byoc_mac_f32.h"

#define BYOC_BLOCK_CHANNELS 4
#define BYOC_BLOCK_PIXELS 4

/* tile[channel][pixel] = bias[channel] + sum over k of w[k][channel] * x[k * stride + pixel] */
static inline void byoc_block_product(int32_t depth, const float* BYOC_RESTRICT x, ptrdiff_t stride,
                                      const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias,
                                      float* BYOC_RESTRICT tile) {
  float a0 = bias[0], a1 = a0, a2 = a0, a3 = a0;
  float b0 = bias[1], b1 = b0, b2 = b0, b3 = b0;
  float c0 = bias[2], c1 = c0, c2 = c0, c3 = c0;
  float d0 = bias[3], d1 = d0, d2 = d0, d3 = d0;
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
  tile[0] = a0, tile[1] = a1, tile[2] = a2, tile[3] = a3;
  tile[4] = b0, tile[5] = b1, tile[6] = b2, tile[7] = b3;
  tile[8] = c0, tile[9] = c1, tile[10] = c2, tile[11] = c3;
  tile[12] = d0, tile[13] = d1, tile[14] = d2, tile[15] = d3;
}

#include "byoc_tile_f32.h"

#endif
