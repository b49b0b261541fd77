#ifndef BYOC_DET_H
#define BYOC_DET_H

#include "byoc_kernel.h"

/* X: how elements are stored; ws holds one matrix in the type that is computed in. */
#define BYOC_DET(name, X) void name(int32_t count, int32_t n, const X* x, X* y, void* ws)

#endif
