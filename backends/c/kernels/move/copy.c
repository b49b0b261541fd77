/* BYOC_ELEMENT: an unsigned integer of the element's size. */
#include "byoc_copy.h"

static inline void run(int32_t count, const BYOC_ELEMENT* from, byoc_offset_t from_step, BYOC_ELEMENT* to,
                       byoc_offset_t to_step) {
  if (from_step == 1 && to_step == 1) {
    memcpy(to, from, (size_t)count * sizeof *to);
  } else {
    for (; count > 0; --count, from += from_step, to += to_step) *to = *from;
  }
}

BYOC_COPY(BYOC_SYMBOL) {
  const int32_t last = p->rank - 1;
  const BYOC_ELEMENT* source = (const BYOC_ELEMENT*)from;
  BYOC_ELEMENT* target = (BYOC_ELEMENT*)to;
  int32_t index[BYOC_COPY_RANK] = {0};
  int32_t d;
  for (;;) {
    run(p->dims[last], source, p->from_stride[last], target, p->to_stride[last]);
    for (d = last - 1; d >= 0; --d) {
      source += p->from_stride[d];
      target += p->to_stride[d];
      if (++index[d] < p->dims[d]) break;
      source -= (byoc_offset_t)p->from_stride[d] * p->dims[d];
      target -= (byoc_offset_t)p->to_stride[d] * p->dims[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}
