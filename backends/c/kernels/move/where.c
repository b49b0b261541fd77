/* BYOC_ELEMENT: an unsigned integer of the element's size. */
#include "byoc_where.h"

BYOC_WHERE(BYOC_SYMBOL) {
  const int32_t last = p->rank - 1;
  const int32_t condition_step = p->condition_stride[last], a_step = p->a_stride[last], b_step = p->b_stride[last];
  const BYOC_ELEMENT* u = (const BYOC_ELEMENT*)a;
  const BYOC_ELEMENT* v = (const BYOC_ELEMENT*)b;
  BYOC_ELEMENT* to = (BYOC_ELEMENT*)y;
  int32_t index[BYOC_WHERE_RANK] = {0};
  int32_t d, i;
  for (;;) {
    const uint8_t* c = condition;
    const BYOC_ELEMENT* from_u = u;
    const BYOC_ELEMENT* from_v = v;
    for (i = 0; i < p->dims[last]; ++i) {
      *to++ = *c ? *from_u : *from_v;
      c += condition_step;
      from_u += a_step;
      from_v += b_step;
    }
    for (d = last - 1; d >= 0; --d) {
      condition += p->condition_stride[d];
      u += p->a_stride[d];
      v += p->b_stride[d];
      if (++index[d] < p->dims[d]) break;
      condition -= (byoc_offset_t)p->condition_stride[d] * p->dims[d];
      u -= (byoc_offset_t)p->a_stride[d] * p->dims[d];
      v -= (byoc_offset_t)p->b_stride[d] * p->dims[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}
