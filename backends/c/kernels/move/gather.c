/* BYOC_ELEMENT: an unsigned integer of the element's size; BYOC_INDEX: the type of the indices. */
#include "byoc_index.h"

BYOC_GATHER(BYOC_SYMBOL, BYOC_INDEX) {
  const byoc_offset_t inner = p->inner;
  const BYOC_ELEMENT* x = (const BYOC_ELEMENT*)from;
  BYOC_ELEMENT* y = (BYOC_ELEMENT*)to;
  int32_t b, o, i;
  for (b = 0; b < p->batches; ++b, indices += p->count) {
    for (o = 0; o < p->outer; ++o, x += p->length * inner) {
      for (i = 0; i < p->count; ++i, y += inner) {
        BYOC_INDEX n = indices[i];
        if (!BYOC_IN_RANGE(n, p->length)) return 1;
        if (inner == 1)
          *y = x[n];
        else
          memcpy(y, x + (byoc_offset_t)n * inner, (size_t)inner * sizeof *y);
      }
    }
  }
  return 0;
}
