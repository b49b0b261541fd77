/* BYOC_ELEMENT: an unsigned integer of the element's size; BYOC_INDEX: the type of the indices. */
#include "byoc_arrange.h"

BYOC_UNPOOL(BYOC_SYMBOL, BYOC_INDEX) {
  const BYOC_ELEMENT* x = (const BYOC_ELEMENT*)from;
  BYOC_ELEMENT* y = (BYOC_ELEMENT*)to;
  int32_t i, d;
  memset(y, 0, (size_t)p->total * sizeof *y);
  for (i = 0; i < p->count; ++i) {
    byoc_offset_t at = 0;
    int32_t left;
    if (indices[i] < 0 || indices[i] >= p->size) return 1;
    left = (int32_t)indices[i];
    for (d = p->rank - 1; d >= 0; --d) {
      at += (byoc_offset_t)(left % p->dims[d]) * p->stride[d];
      left /= p->dims[d];
    }
    y[at + left] = x[i];
  }
  return 0;
}
