/* BYOC_X: see byoc_element.h. */
#include "byoc_element.h"
#include "byoc_normalise.h"

BYOC_LRN(BYOC_SYMBOL, BYOC_X, BYOC_T) {
  /* The odd neighbour of an even size is behind. */
  const int32_t before = (size - 1) / 2, behind = size / 2;
  int32_t o, c, i, k;
  for (o = 0; o < p->outer; ++o, x += (byoc_offset_t)p->channels * p->inner, y += (byoc_offset_t)p->channels * p->inner)
    for (c = 0; c < p->channels; ++c) {
      const int32_t first = c > before ? c - before : 0;
      const int32_t last = behind < p->channels - 1 - c ? c + behind : p->channels - 1;
      for (i = 0; i < p->inner; ++i) {
        const byoc_offset_t at = (byoc_offset_t)c * p->inner + i;
        BYOC_T squares = 0;
        for (k = first; k <= last; ++k) {
          const BYOC_T v = BYOC_X_LOAD(x[(byoc_offset_t)k * p->inner + i]);
          squares += v * v;
        }
        y[at] = BYOC_X_STORE(BYOC_X_LOAD(x[at]) / BYOC_F(pow)(bias + alpha * squares, beta));
      }
    }
}
