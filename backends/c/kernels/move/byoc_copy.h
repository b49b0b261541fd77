/* Moves elements between two strided views: transposes, slices, joins, pads. */
#ifndef BYOC_COPY_H
#define BYOC_COPY_H

#include "byoc_kernel.h"

#define BYOC_COPY_RANK 6

/* Strides in elements, of any sign. */
typedef struct {
  int32_t rank;
  int32_t dims[BYOC_COPY_RANK], from_stride[BYOC_COPY_RANK], to_stride[BYOC_COPY_RANK];
} byoc_copy_t;

#define BYOC_COPY(name) void name(const byoc_copy_t* p, const void* from, void* to)

/* By element size in bytes. */
BYOC_COPY(byoc_copy_1);
BYOC_COPY(byoc_copy_2);
BYOC_COPY(byoc_copy_4);
BYOC_COPY(byoc_copy_8);

#endif
