/* BYOC_OPERATION: an expression of u and v. */
#include "byoc_binary_f32.h"

static inline float operation(float u, float v, byoc_bounds_f32_t bounds) {
  return byoc_clamp_f32(BYOC_OPERATION, bounds);
}

/* One run of the last dim. */
static inline void run(int32_t count, const float* a, int32_t a_stride, const float* b, int32_t b_stride, float* y,
                       byoc_bounds_f32_t bounds) {
  int32_t i;
  if (a_stride && b_stride) {
    for (i = 0; i < count; ++i) y[i] = operation(a[i], b[i], bounds);
  } else if (a_stride) {
    const float v = *b;
    for (i = 0; i < count; ++i) y[i] = operation(a[i], v, bounds);
  } else {
    const float u = *a;
    for (i = 0; i < count; ++i) y[i] = operation(u, b_stride ? b[i] : *b, bounds);
  }
}

BYOC_BINARY_F32(BYOC_SYMBOL) {
  const int32_t last = p->rank - 1;
  int32_t index[BYOC_BINARY_RANK] = {0};
  int32_t d;
  for (;;) {
    run(p->dims[last], a, p->a_stride[last], b, p->b_stride[last], y, p->bounds);
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
