/* BYOC_X: see byoc_element.h; BYOC_WEIGHT. */
#include "byoc_sample.h"

#include "byoc_element.h"

typedef BYOC_WEIGHT real_t;

/* Point i of n in [-1, 1]; a single point with aligned corners is in the middle. */
static inline real_t coordinate(const byoc_affine_grid_t* p, int32_t i, int32_t n) {
  if (p->align_corners) return n == 1 ? 0 : BYOC_C(-1.0) + BYOC_C(2.0) * (real_t)i / (real_t)(n - 1);
  return (BYOC_C(2.0) * (real_t)i + BYOC_C(1.0)) / (real_t)n - BYOC_C(1.0);
}

BYOC_AFFINE_GRID(BYOC_SYMBOL, BYOC_X) {
  const int32_t width = p->rank + 1;
  int32_t n, d, h, w, r;
  for (n = 0; n < p->batch; ++n, theta += p->rank * width) {
    for (d = 0; d < p->out[0]; ++d) {
      for (h = 0; h < p->out[1]; ++h) {
        for (w = 0; w < p->out[2]; ++w) {
          for (r = 0; r < p->rank; ++r) {
            const BYOC_X* row = theta + r * width;
            real_t sum =
                BYOC_X_LOAD(row[0]) * coordinate(p, w, p->out[2]) + BYOC_X_LOAD(row[1]) * coordinate(p, h, p->out[1]);
            if (p->rank == 3) sum += BYOC_X_LOAD(row[2]) * coordinate(p, d, p->out[0]);
            sum += BYOC_X_LOAD(row[p->rank]);
            *y++ = BYOC_X_STORE(sum);
          }
        }
      }
    }
  }
}
