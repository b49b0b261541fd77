/* BYOC_OPERATION: an expression of u and v. BYOC_A, BYOC_B, BYOC_Y: see byoc_element.h. */
#include "byoc_binary.h"

#include "byoc_element.h"

/* BYOC_LEAST and BYOC_MOST, where they are defined, clamp the result. */
static inline BYOC_Y operation(BYOC_A_WORK u, BYOC_B_WORK v) {
#if defined(BYOC_LEAST) || defined(BYOC_MOST)
  BYOC_T y = BYOC_OPERATION;
#if defined(BYOC_LEAST)
  y = y < BYOC_LEAST ? BYOC_LEAST : y;
#endif
#if defined(BYOC_MOST)
  y = y > BYOC_MOST ? BYOC_MOST : y;
#endif
  return BYOC_Y_STORE(y);
#else
  return BYOC_Y_STORE(BYOC_OPERATION);
#endif
}

/* One run of the last dim. */
static inline void run(int32_t count, const BYOC_A* a, int32_t a_stride, const BYOC_B* b, int32_t b_stride, BYOC_Y* y) {
  int32_t i;
  if (a_stride && b_stride) {
    for (i = 0; i < count; ++i) y[i] = operation(BYOC_A_LOAD(a[i]), BYOC_B_LOAD(b[i]));
  } else if (a_stride) {
    const BYOC_B_WORK v = BYOC_B_LOAD(*b);
    for (i = 0; i < count; ++i) y[i] = operation(BYOC_A_LOAD(a[i]), v);
  } else if (b_stride) {
    const BYOC_A_WORK u = BYOC_A_LOAD(*a);
    for (i = 0; i < count; ++i) y[i] = operation(u, BYOC_B_LOAD(b[i]));
  } else {
    const BYOC_Y once = operation(BYOC_A_LOAD(*a), BYOC_B_LOAD(*b));
    for (i = 0; i < count; ++i) y[i] = once;
  }
}

BYOC_BINARY(BYOC_SYMBOL, BYOC_A, BYOC_B, BYOC_Y) {
  const int32_t last = p->rank - 1;
  int32_t index[BYOC_BINARY_RANK] = {0};
  int32_t d;
  for (;;) {
    run(p->dims[last], a, p->a_stride[last], b, p->b_stride[last], y);
    y += p->dims[last];
    for (d = last - 1; d >= 0; --d) {
      a += p->a_stride[d];
      b += p->b_stride[d];
      if (++index[d] < p->dims[d]) break;
      a -= (byoc_offset_t)p->a_stride[d] * p->dims[d];
      b -= (byoc_offset_t)p->b_stride[d] * p->dims[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}
