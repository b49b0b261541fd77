/* BYOC_OPERATION: an expression of u and v. BYOC_CLAMPED: results are inside the bounds; else there are none. */
#include "byoc_binary_f32.h"

static inline float operation(float u, float v, byoc_bounds_f32_t bounds) {
#if defined(BYOC_CLAMPED)
  return byoc_clamp_f32(BYOC_OPERATION, bounds);
#else
  (void)bounds;
  return BYOC_OPERATION;
#endif
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

#include "byoc_binary_loops_f32.h"
