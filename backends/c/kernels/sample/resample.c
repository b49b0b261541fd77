/* BYOC_X, BYOC_Y: see byoc_element.h; BYOC_WEIGHT: the type that sums are formed in. */
#include <math.h>

#include "byoc_resample.h"

#include "byoc_element.h"

BYOC_RESAMPLE(BYOC_SYMBOL, BYOC_X, BYOC_Y, BYOC_WEIGHT) {
  const byoc_offset_t inner = p->inner;
  int32_t n, o, i, t;
  for (n = 0; n < p->outer; ++n, x += p->in * inner) {
    for (o = 0; o < p->out; ++o) {
      const BYOC_X* from = x + p->first[o] * inner;
      const BYOC_WEIGHT* w = weights + p->tap[o];
      const int32_t taps = p->tap[o + 1] - p->tap[o];
      for (i = 0; i < p->inner; ++i, ++from, ++y) {
        BYOC_WEIGHT sum = taps == 0 ? outside : 0;
        for (t = 0; t < taps; ++t) sum += w[t] * (BYOC_WEIGHT)BYOC_X_LOAD(from[t * inner]);
        *y = BYOC_Y_STORE(sum);
      }
    }
  }
}
