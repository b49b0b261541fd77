/* Elements into the columns of a block of patches, on scalar registers. Needs BYOC_BLOCK_PIXELS. */
#ifndef BYOC_COLUMNS_F32_H
#define BYOC_COLUMNS_F32_H

#include "byoc_kernel.h"

static inline float* byoc_fill_column(float* to, int32_t count) {
  BYOC_SCALAR_LOOP
  for (; count > 0; --count, to += BYOC_BLOCK_PIXELS) *to = 0.0f;
  return to;
}

static inline float* byoc_copy_column(float* to, const float* from, int32_t count) {
  BYOC_SCALAR_LOOP
  for (; count > 0; --count, to += BYOC_BLOCK_PIXELS) *to = *from++;
  return to;
}

/* One element for each pixel of the block. */
static inline void byoc_copy_pixels(float* to, const float* from) { memcpy(to, from, BYOC_BLOCK_PIXELS * sizeof *to); }

#endif
