/* How often each n-gram of a pool appears in rows of integers, weighted. */
#ifndef BYOC_TFIDF_H
#define BYOC_TFIDF_H

#include "byoc_kernel.h"

/* Gram g has items[first[g]] to items[first[g + 1] - 1] and goes to column at[g]. mode 0: counts, 1: the weight of what
   appears, 2: count times weight. */
typedef struct {
  int32_t rows, columns, width, grams, skips, mode;
  const int64_t* items;
  const int32_t *first, *at;
  const float* weight;
} byoc_tfidf_t;

#define BYOC_TFIDF(name, X) void name(const byoc_tfidf_t* p, const X* x, float* y)

#endif
