/* Along one dim of a tensor [outer][count][inner]. */
#ifndef BYOC_AXIS_H
#define BYOC_AXIS_H

#include "byoc_kernel.h"

/* X and Y: how elements of x and y are stored. */
#define BYOC_AXIS(name, X, Y) void name(int32_t outer, int32_t count, int32_t inner, const X* x, Y* y)

#endif
