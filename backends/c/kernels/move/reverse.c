/* BYOC_INDEX: the type of the lengths. */
#include "byoc_arrange.h"

BYOC_REVERSE(BYOC_SYMBOL, BYOC_INDEX) {
  int32_t b, t;
  for (b = 0; b < p->batches; ++b) {
    const uint8_t* x = (const uint8_t*)from + (byoc_offset_t)b * p->batch_stride;
    uint8_t* y = (uint8_t*)to + (byoc_offset_t)b * p->batch_stride;
    const BYOC_INDEX length = lengths[b];
    if (length < 0 || length > p->steps) return 1;
    for (t = 0; t < p->steps; ++t, y += p->step_stride)
      memcpy(y, x + (byoc_offset_t)(t < length ? (int32_t)length - 1 - t : t) * p->step_stride, (size_t)p->inner);
  }
  return 0;
}
