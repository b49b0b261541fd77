/* Chooses between two broadcast operands, element by element. */
#ifndef BYOC_WHERE_H
#define BYOC_WHERE_H

#include "byoc_kernel.h"

#define BYOC_WHERE_RANK 6

/* The output is dense over dims; strides are in elements, 0 where an operand is broadcast. */
typedef struct {
  int32_t rank;
  int32_t dims[BYOC_WHERE_RANK], condition_stride[BYOC_WHERE_RANK], a_stride[BYOC_WHERE_RANK],
      b_stride[BYOC_WHERE_RANK];
} byoc_where_t;

#define BYOC_WHERE(name) \
  void name(const byoc_where_t* p, const uint8_t* condition, const void* a, const void* b, void* y)

/* By element size in bytes: a where the condition holds, else b. */
BYOC_WHERE(byoc_where_1);
BYOC_WHERE(byoc_where_2);
BYOC_WHERE(byoc_where_4);
BYOC_WHERE(byoc_where_8);

#endif
