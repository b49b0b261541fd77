/* BYOC_X: see byoc_element.h; BYOC_UPDATE(y, u): what y becomes; BYOC_INDEX: the type of the indices. */
#include "byoc_element.h"
#include "byoc_index.h"

BYOC_SCATTER_ELEMENTS(BYOC_SYMBOL, BYOC_INDEX) {
  const int32_t last = p->rank - 1;
  const BYOC_X* from = (const BYOC_X*)updates;
  BYOC_X* y = (BYOC_X*)to;
  byoc_walk_t walk = {{0}, 0};
  do {
    byoc_offset_t at = walk.at;
    int32_t i;
    for (i = 0; i < p->dims[last]; ++i, at += p->stride[last]) {
      BYOC_INDEX n = *indices++;
      BYOC_X* target;
      if (!BYOC_IN_RANGE(n, p->length)) return 1;
      target = y + at + (byoc_offset_t)n * p->along;
      *target = BYOC_X_STORE(BYOC_UPDATE(BYOC_X_LOAD(*target), BYOC_X_LOAD(*from)));
      ++from;
    }
  } while (byoc_next_line(p, &walk));
  return 0;
}
