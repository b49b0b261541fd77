/* BYOC_ELEMENT: an unsigned integer of the element's size; BYOC_INDEX: the type of the indices. */
#include "byoc_index.h"

BYOC_GATHER_ND(BYOC_SYMBOL, BYOC_INDEX) {
  const BYOC_ELEMENT* x = (const BYOC_ELEMENT*)from;
  BYOC_ELEMENT* y = (BYOC_ELEMENT*)to;
  int32_t b, t, k;
  for (b = 0; b < p->batches; ++b, x += p->batch_stride) {
    for (t = 0; t < p->count; ++t, y += p->inner) {
      const BYOC_ELEMENT* run = x;
      for (k = 0; k < p->width; ++k) {
        BYOC_INDEX n = *indices++;
        if (!BYOC_IN_RANGE(n, p->length[k])) return 1;
        run += (byoc_offset_t)n * p->stride[k];
      }
      memcpy(y, run, (size_t)p->inner * sizeof *y);
    }
  }
  return 0;
}
