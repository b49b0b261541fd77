/* The first `count` of `length` elements in an order, best first; of equal ones the lower index comes first, and
   not-a-number is larger than every number. There is room for `k`; what is left of it is zeros. */
#ifndef BYOC_TOP_K_H
#define BYOC_TOP_K_H

#include "byoc_kernel.h"

typedef struct {
  int32_t outer, length, inner, k, largest;
} byoc_top_k_t;

/* values or indices may be NULL; heap: count elements. */
#define BYOC_TOP_K(name, X) \
  void name(const byoc_top_k_t* p, int32_t count, const X* x, X* values, int64_t* indices, int32_t* heap)

#endif
