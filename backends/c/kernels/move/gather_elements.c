/* BYOC_ELEMENT: an unsigned integer of the element's size; BYOC_INDEX: the type of the indices. */
#include "byoc_index.h"

BYOC_GATHER_ELEMENTS(BYOC_SYMBOL, BYOC_INDEX) {
  const int32_t last = p->rank - 1;
  const BYOC_ELEMENT* x = (const BYOC_ELEMENT*)from;
  BYOC_ELEMENT* y = (BYOC_ELEMENT*)to;
  byoc_walk_t walk = {{0}, 0};
  do {
    byoc_offset_t at = walk.at;
    int32_t i;
    for (i = 0; i < p->dims[last]; ++i, at += p->stride[last]) {
      BYOC_INDEX n = *indices++;
      if (!BYOC_IN_RANGE(n, p->length)) return 1;
      *y++ = x[at + (byoc_offset_t)n * p->along];
    }
  } while (byoc_next_line(p, &walk));
  return 0;
}
