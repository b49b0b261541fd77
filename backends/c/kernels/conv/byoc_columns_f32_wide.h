/* Elements into the columns of a block of patches, and lines of them several at a time. Needs BYOC_BLOCK_PIXELS. */
#ifndef BYOC_COLUMNS_F32_WIDE_H
#define BYOC_COLUMNS_F32_WIDE_H

#include "byoc_columns_f32.h"

static inline void byoc_copy_line(float* to, const float* from, int32_t count) {
  for (; count >= 8; count -= 8, to += 8, from += 8) memcpy(to, from, 8 * sizeof *to);
  if (count >= 4) {
    memcpy(to, from, 4 * sizeof *to);
    count -= 4, to += 4, from += 4;
  }
  for (; count > 0; --count) *to++ = *from++;
}
#define BYOC_COPY_LINE byoc_copy_line

#endif
