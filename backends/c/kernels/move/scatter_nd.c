/* BYOC_X: see byoc_element.h; BYOC_UPDATE(y, u): what y becomes; BYOC_INDEX: the type of the indices. */
#include "byoc_element.h"
#include "byoc_index.h"

BYOC_SCATTER_ND(BYOC_SYMBOL, BYOC_INDEX) {
  const BYOC_X* from = (const BYOC_X*)updates;
  int32_t t, k, i;
  for (t = 0; t < p->count; ++t) {
    BYOC_X* run = (BYOC_X*)to;
    for (k = 0; k < p->width; ++k) {
      BYOC_INDEX n = *indices++;
      if (!BYOC_IN_RANGE(n, p->length[k])) return 1;
      run += (byoc_offset_t)n * p->stride[k];
    }
    for (i = 0; i < p->inner; ++i, ++from) run[i] = BYOC_X_STORE(BYOC_UPDATE(BYOC_X_LOAD(run[i]), BYOC_X_LOAD(*from)));
  }
  return 0;
}
