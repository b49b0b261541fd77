/* BYOC_ELEMENT: an unsigned integer of the element's size. */
#include "byoc_arrange.h"

static inline byoc_offset_t offset(const byoc_pick_t* p, int32_t d, int32_t i) {
  return p->table[d] ? p->table[d][i] : (byoc_offset_t)i * p->stride[d];
}

BYOC_PICK(BYOC_SYMBOL, BYOC_ELEMENT) {
  const BYOC_ELEMENT* x = (const BYOC_ELEMENT*)from;
  BYOC_ELEMENT* y = (BYOC_ELEMENT*)to;
  const int32_t last = p->rank - 1;
  int32_t index[BYOC_ARRANGE_RANK] = {0};
  int32_t d, i;
  byoc_offset_t k;
  for (;;) {
    byoc_offset_t base = 0;
    int outside = 0;
    for (d = 0; d < last; ++d) {
      const byoc_offset_t at = offset(p, d, index[d]);
      outside |= at < 0;
      base += at;
    }
    for (i = 0; i < p->dims[last]; ++i, y += p->inner) {
      const byoc_offset_t at = offset(p, last, i);
      if (outside || at < 0) {
        for (k = 0; k < p->inner; ++k) y[k] = fill;
      } else if (p->inner == 1) {
        *y = x[base + at];
      } else {
        memcpy(y, x + base + at, (size_t)p->inner * sizeof *y);
      }
    }
    for (d = last - 1; d >= 0; --d) {
      if (++index[d] < p->dims[d]) break;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}
