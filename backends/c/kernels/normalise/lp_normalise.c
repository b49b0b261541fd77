/* BYOC_X: see byoc_element.h. BYOC_P: 1 or 2. BYOC_MANY: see byoc_sum.h. */
#include "byoc_element.h"
#include "byoc_normalise.h"
#include "byoc_sum.h"

static BYOC_T magnitude(BYOC_T v) { return v < 0 ? -v : v; }

BYOC_LP_NORMALISE(BYOC_SYMBOL, BYOC_X) {
  int32_t o, i, c;
  for (o = 0; o < p->outer; ++o, x += (byoc_offset_t)p->channels * p->inner, y += (byoc_offset_t)p->channels * p->inner)
    for (i = 0; i < p->inner; ++i) {
      byoc_sum_t all = BYOC_NO_SUM;
      BYOC_T largest = 0, norm, factor;
      for (c = 0; c < p->channels; ++c) {
        const BYOC_T v = magnitude(BYOC_X_LOAD(x[(byoc_offset_t)c * p->inner + i]));
        if (v > largest) largest = v;
      }
      /* In parts of the largest, squares neither vanish nor overflow. */
      if (!(largest > 0) || largest - largest != 0) largest = 1;
      for (c = 0; c < p->channels; ++c) {
        const BYOC_T v = magnitude(BYOC_X_LOAD(x[(byoc_offset_t)c * p->inner + i])) / largest;
        byoc_add(&all, BYOC_P == 1 ? v : v * v);
      }
      norm = byoc_total(&all);
      if (BYOC_P == 2) norm = BYOC_F(sqrt)(norm);
      factor = norm == 0 ? 0 : 1 / norm;
      for (c = 0; c < p->channels; ++c) {
        const byoc_offset_t at = (byoc_offset_t)c * p->inner + i;
        y[at] = BYOC_X_STORE(BYOC_X_LOAD(x[at]) / largest * factor);
      }
    }
}
