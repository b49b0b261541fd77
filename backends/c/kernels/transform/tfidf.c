/* BYOC_X: the type of the items. */
#include "byoc_tfidf.h"

/* How often `gram` appears in a row with its items `skip` apart. */
static inline int32_t appearances(const BYOC_X* row, int32_t columns, const int64_t* gram, int32_t length,
                                  int32_t skip) {
  int32_t count = 0, at, i;
  for (at = 0; at + (int64_t)(length - 1) * skip < columns; ++at) {
    for (i = 0; i < length && row[at + i * skip] == gram[i]; ++i) {
    }
    count += i == length;
  }
  return count;
}

BYOC_TFIDF(BYOC_SYMBOL, BYOC_X) {
  int32_t r, g, i, skip;
  for (r = 0; r < p->rows; ++r, x += p->columns, y += p->width) {
    for (i = 0; i < p->width; ++i) y[i] = 0.0f;
    for (g = 0; g < p->grams; ++g) {
      const int32_t length = p->first[g + 1] - p->first[g];
      int32_t count = 0;
      /* A single item has no neighbour to skip to. */
      for (skip = 1; skip <= (length == 1 ? 1 : p->skips + 1); ++skip)
        count += appearances(x, p->columns, p->items + p->first[g], length, skip);
      if (count != 0)
        y[p->at[g]] = p->mode == 0 ? (float)count : p->mode == 1 ? p->weight[g] : (float)count * p->weight[g];
    }
  }
}
