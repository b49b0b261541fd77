/* Elements into the columns of a block of patches, four at a time (Armv8.1-M MVE). Needs BYOC_BLOCK_PIXELS. */
#ifndef BYOC_COLUMNS_F32_H
#define BYOC_COLUMNS_F32_H

#include <arm_mve.h>

#include "byoc_kernel.h"

static inline float* byoc_fill_column(float* to, int32_t count) {
  BYOC_SCALAR_LOOP
  for (; count > 0; --count, to += BYOC_BLOCK_PIXELS) *to = 0.0f;
  return to;
}

static inline float* byoc_copy_column(float* to, const float* from, int32_t count) {
  const uint32x4_t rows = vmulq_n_u32(vidupq_n_u32(0, 1), BYOC_BLOCK_PIXELS);
  for (; count >= 4; count -= 4, from += 4, to += 4 * BYOC_BLOCK_PIXELS)
    vstrwq_scatter_shifted_offset_f32(to, rows, vld1q_f32(from));
  BYOC_SCALAR_LOOP
  for (; count > 0; --count, to += BYOC_BLOCK_PIXELS) *to = *from++;
  return to;
}

/* One element for each pixel of the block. */
static inline void byoc_copy_pixels(float* to, const float* from) {
#if BYOC_BLOCK_PIXELS == 4
  vst1q_f32(to, vld1q_f32(from));
#else
  memcpy(to, from, BYOC_BLOCK_PIXELS * sizeof *to);
#endif
}

#endif
