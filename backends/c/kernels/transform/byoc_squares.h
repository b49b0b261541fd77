#ifndef BYOC_SQUARES_H
#define BYOC_SQUARES_H

#include "byoc_kernel.h"

/* X: how elements are stored; ws holds one matrix in the type that is computed in. */
#define BYOC_OF_SQUARES(name, X) void name(int32_t count, int32_t n, const X* x, X* y, void* ws)

#endif
