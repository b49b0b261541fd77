/* The operands of a depthwise block. */
#ifndef BYOC_ROW_TAPS_F32_H
#define BYOC_ROW_TAPS_F32_H

#include "byoc_kernel.h"

/* The taps of one output row: rows of the ring, which wrap, and the weights that belong to the first of them. */
typedef struct {
  const float *first, *end;     /* first row; end of the ring */
  byoc_offset_t row_step, ring; /* floats from row to row, and in the whole ring */
  int32_t rows, columns;
  byoc_offset_t column_step, pixel_step; /* floats between taps, and between outputs */
} byoc_row_taps_t;

#endif
