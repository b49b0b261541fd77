/* byoc_block_f32 over a byoc_block_product that leaves a tile [channel][pixel] in memory. */
#ifndef BYOC_TILE_F32_H
#define BYOC_TILE_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

/* has_lo and has_hi are constants of the call, so that only the comparisons that matter are left. */
static inline void byoc_store_tile(const float* tile, int32_t channels, int32_t pixels, byoc_offset_t channel_step,
                                   byoc_offset_t pixel_step, byoc_bounds_f32_t bounds, int has_lo, int has_hi,
                                   float* y) {
  int32_t r, i;
  for (r = 0; r < channels; ++r, y += channel_step) {
    float* to = y;
    for (i = 0; i < pixels; ++i, to += pixel_step) {
      float v = tile[r * BYOC_BLOCK_PIXELS + i];
      if (has_lo) v = v < bounds.lo ? bounds.lo : v;
      if (has_hi) v = v > bounds.hi ? bounds.hi : v;
      *to = v;
    }
  }
}

/* y[channel * channel_step + pixel * pixel_step] = clamp(product), for `channels` and `pixels` of the block. */
static inline void byoc_block_f32(int32_t depth, const float* BYOC_RESTRICT x, byoc_offset_t stride,
                                  const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias,
                                  byoc_bounds_f32_t bounds, int32_t channels, int32_t pixels,
                                  byoc_offset_t channel_step, byoc_offset_t pixel_step, float* BYOC_RESTRICT y) {
  float tile[BYOC_BLOCK_CHANNELS * BYOC_BLOCK_PIXELS];
  byoc_block_product(depth, x, stride, w, bias, tile);
  if (bounds.hi < INFINITY) {
    byoc_store_tile(tile, channels, pixels, channel_step, pixel_step, bounds, 1, 1, y);
  } else if (bounds.lo > -INFINITY) {
    byoc_store_tile(tile, channels, pixels, channel_step, pixel_step, bounds, 1, 0, y);
  } else {
    byoc_store_tile(tile, channels, pixels, channel_step, pixel_step, bounds, 0, 0, y);
  }
}

#endif
