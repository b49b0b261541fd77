/* Where a block begins along one dim. */
#ifndef BYOC_START_H
#define BYOC_START_H

#include "byoc_kernel.h"

/* The nearest of 0 to `last`. */
static inline byoc_offset_t byoc_start(int64_t start, int32_t last) {
  return start < 0 ? 0 : start > last ? last : (byoc_offset_t)start;
}

#endif
