/* The first `k` of `length` elements in an order, best first; of equal ones the lower index comes first, and
   not-a-number is larger than every number. */
#ifndef BYOC_TOP_K_H
#define BYOC_TOP_K_H

#include "byoc_kernel.h"

typedef struct {
  int32_t outer, length, inner, k, largest;
} byoc_top_k_t;

/* values or indices may be NULL; heap: k elements. */
#define BYOC_TOP_K(name, X) void name(const byoc_top_k_t* p, const X* x, X* values, int64_t* indices, int32_t* heap)

#endif
