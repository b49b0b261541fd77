/* BYOC_ELEMENT: an unsigned integer of the element's size. */
#include "byoc_where.h"

#if defined(__OPTIMIZE_SIZE__)
#define IS_WHOLE(condition_step, a_step, b_step) 0
#else
#define IS_WHOLE(condition_step, a_step, b_step) ((condition_step) == 1 && (a_step) <= 1 && (b_step) <= 1)
#endif

/* One run of the last dim. A loop for each kind of operand, of which compilers make vectors. */
static inline void run(int32_t count, const uint8_t* BYOC_RESTRICT c, int32_t c_step, const BYOC_ELEMENT* u,
                       int32_t u_step, const BYOC_ELEMENT* v, int32_t v_step, BYOC_ELEMENT* BYOC_RESTRICT to) {
  int32_t i;
  if (!IS_WHOLE(c_step, u_step, v_step)) {
    for (i = 0; i < count; ++i, c += c_step, u += u_step, v += v_step) to[i] = *c ? *u : *v;
  } else if (u_step && v_step) {
    for (i = 0; i < count; ++i) {
      const BYOC_ELEMENT first = u[i], second = v[i];
      to[i] = c[i] ? first : second;
    }
  } else if (u_step) {
    const BYOC_ELEMENT second = *v;
    for (i = 0; i < count; ++i) {
      const BYOC_ELEMENT first = u[i];
      to[i] = c[i] ? first : second;
    }
  } else {
    const BYOC_ELEMENT first = *u;
    for (i = 0; i < count; ++i) {
      const BYOC_ELEMENT second = v_step ? v[i] : *v;
      to[i] = c[i] ? first : second;
    }
  }
}

BYOC_WHERE(BYOC_SYMBOL) {
  const int32_t last = p->rank - 1;
  const int32_t condition_step = p->condition_stride[last], a_step = p->a_stride[last], b_step = p->b_stride[last];
  const BYOC_ELEMENT* u = (const BYOC_ELEMENT*)a;
  const BYOC_ELEMENT* v = (const BYOC_ELEMENT*)b;
  BYOC_ELEMENT* to = (BYOC_ELEMENT*)y;
  int32_t index[BYOC_WHERE_RANK] = {0};
  int32_t d;
  for (;;) {
    run(p->dims[last], condition, condition_step, u, a_step, v, b_step, to);
    to += p->dims[last];
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
