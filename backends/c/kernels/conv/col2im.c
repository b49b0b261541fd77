/* BYOC_X: see byoc_element.h; BYOC_ADD(a, b); BYOC_DIRECT: sums are formed in the result. */
#include "byoc_col2im.h"

#include "byoc_element.h"

/* Adds what element `k` of the block saw, one value for each position of the block. */
static void add_tap(const byoc_col2im_t* p, const int32_t* k, const BYOC_X* x, BYOC_X_WORK* sum) {
  const int32_t last = p->rank - 1;
  int32_t n[BYOC_COL2IM_RANK] = {0};
  int32_t d, i;
  for (;;) {
    byoc_offset_t row = 0;
    int inside = 1;
    for (d = 0; d < last; ++d) {
      const int32_t at = n[d] * p->stride[d] - p->pad[d] + k[d] * p->dilation[d];
      inside &= at >= 0 && at < p->image[d];
      row = (row + at) * p->image[d + 1];
    }
    if (inside) {
      int32_t at = k[last] * p->dilation[last] - p->pad[last];
      for (i = 0; i < p->steps[last]; ++i, at += p->stride[last])
        if (at >= 0 && at < p->image[last]) sum[row + at] = BYOC_ADD(sum[row + at], BYOC_X_LOAD(x[i]));
    }
    x += p->steps[last];
    for (d = last - 1; d >= 0; --d) {
      if (++n[d] < p->steps[d]) break;
      n[d] = 0;
    }
    if (d < 0) return;
  }
}

BYOC_COL2IM(BYOC_SYMBOL, BYOC_X) {
  byoc_offset_t count = 1;
  int32_t plane, d, i;
  for (d = 0; d < p->rank; ++d) count *= p->steps[d];
  for (plane = 0; plane < p->planes; ++plane, y += p->area) {
    int32_t k[BYOC_COL2IM_RANK] = {0};
#if defined(BYOC_DIRECT)
    BYOC_X_WORK* sum = y;
    (void)sums;
#else
    BYOC_X_WORK* sum = (BYOC_X_WORK*)sums;
#endif
    for (i = 0; i < p->area; ++i) sum[i] = 0;
    do {
      if (count > 0) add_tap(p, k, x, sum);
      x += count;
      for (d = p->rank - 1; d >= 0; --d) {
        if (++k[d] < p->block[d]) break;
        k[d] = 0;
      }
    } while (d >= 0);
#if !defined(BYOC_DIRECT)
    for (i = 0; i < p->area; ++i) y[i] = BYOC_X_STORE(sum[i]);
#endif
  }
}
