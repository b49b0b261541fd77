/* One function for each element. a and b are the operator's own parameters. y may be x where both have one size. */
#ifndef BYOC_UNARY_H
#define BYOC_UNARY_H

#include "byoc_kernel.h"

/* X and Y: how operand and result are stored; P: the type of the parameters. */
#define BYOC_UNARY(name, X, Y, P) void name(int32_t count, const X* x, Y* y, P a, P b)

#endif
