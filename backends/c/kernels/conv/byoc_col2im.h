/* Columns of blocks added up into images. */
#ifndef BYOC_COL2IM_H
#define BYOC_COL2IM_H

#include "byoc_kernel.h"

#define BYOC_COL2IM_RANK 6

/* steps: positions of the block along each dim; area: elements of an image. */
typedef struct {
  int32_t planes, area, rank;
  int32_t image[BYOC_COL2IM_RANK], block[BYOC_COL2IM_RANK], dilation[BYOC_COL2IM_RANK], stride[BYOC_COL2IM_RANK];
  int32_t pad[BYOC_COL2IM_RANK], steps[BYOC_COL2IM_RANK];
} byoc_col2im_t;

/* sums: a plane in the type that is computed in; not used where that is the elements' own. */
#define BYOC_COL2IM(name, X) void name(const byoc_col2im_t* p, const X* x, X* y, void* sums)

#endif
