/* 4 output channels by two vectors of pixels, of BYOC_LANES floats each. */
#ifndef BYOC_BLOCK_F32_H
#define BYOC_BLOCK_F32_H

#include "byoc_lanes_f32.h"

#define BYOC_BLOCK_CHANNELS 4
#define BYOC_BLOCK_PIXELS (2 * BYOC_LANES)

/* tile[channel][pixel] = sum over k of w[k][channel] * x[k * stride + pixel], + bias[channel]; see byoc_block_f32.h */
static inline void byoc_block_product(int32_t depth, const float* BYOC_RESTRICT x, byoc_offset_t stride,
                                      const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias,
                                      float* BYOC_RESTRICT tile) {
  byoc_lanes_t a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0}, c0 = {0}, c1 = {0}, d0 = {0}, d1 = {0};
  int32_t k;
  for (k = 0; k < depth; ++k) {
    const byoc_lanes_t x0 = byoc_load_lanes(x), x1 = byoc_load_lanes(x + BYOC_LANES);
    byoc_lanes_t v = byoc_all_lanes(w[0]);
    a0 = byoc_mac_lanes(a0, v, x0), a1 = byoc_mac_lanes(a1, v, x1);
    v = byoc_all_lanes(w[1]);
    b0 = byoc_mac_lanes(b0, v, x0), b1 = byoc_mac_lanes(b1, v, x1);
    v = byoc_all_lanes(w[2]);
    c0 = byoc_mac_lanes(c0, v, x0), c1 = byoc_mac_lanes(c1, v, x1);
    v = byoc_all_lanes(w[3]);
    d0 = byoc_mac_lanes(d0, v, x0), d1 = byoc_mac_lanes(d1, v, x1);
    x += stride;
    w += 4;
  }
  byoc_store_lanes(tile, a0 + bias[0]), byoc_store_lanes(tile + BYOC_LANES, a1 + bias[0]);
  byoc_store_lanes(tile + 2 * BYOC_LANES, b0 + bias[1]), byoc_store_lanes(tile + 3 * BYOC_LANES, b1 + bias[1]);
  byoc_store_lanes(tile + 4 * BYOC_LANES, c0 + bias[2]), byoc_store_lanes(tile + 5 * BYOC_LANES, c1 + bias[2]);
  byoc_store_lanes(tile + 6 * BYOC_LANES, d0 + bias[3]), byoc_store_lanes(tile + 7 * BYOC_LANES, d1 + bias[3]);
}

#include "byoc_tile_f32.h"

#endif
