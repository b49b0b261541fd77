/* Discrete Fourier transforms of many rows of numbers. */
#ifndef BYOC_DFT_H
#define BYOC_DFT_H

#include "byoc_kernel.h"

/* Rows are [outer][inner]; steps in elements. A row has `given` numbers, the rest of its `length` are zeros. is_half:
   it has the first half of a transform, the other half of which is its mirror image, and results are real. */
typedef struct {
  int32_t outer, inner, length, given, bins;
  int32_t x_outer, x_inner, x_next, y_outer, y_inner, y_next;
  int32_t is_complex, inverse, is_half;
} byoc_dft_t;

/*
 * turns: cosine and sine of 2 pi k / length for k in [0, length). window, which may be null, is multiplied in. work:
 * 2 * length elements.
 */
#define BYOC_DFT(name, X, T) void name(const byoc_dft_t* p, const T* turns, const X* x, const X* window, X* y, T* work)

#endif
