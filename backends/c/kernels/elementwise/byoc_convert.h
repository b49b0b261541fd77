/* Elements of one type as elements of another, where one of them is smaller than C's types. */
#ifndef BYOC_CONVERT_H
#define BYOC_CONVERT_H

#include "byoc_kernel.h"

/* X and Y: how operand and result are stored. */
#define BYOC_CONVERT(name, X, Y) void name(int32_t count, const X* x, Y* y)

#endif
