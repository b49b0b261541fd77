/* SVDF: products of x with the feature weights enter a history, whose weighted sums are the units' values. */
#ifndef BYOC_SVDF_H
#define BYOC_SVDF_H

#include "byoc_kernel.h"

typedef struct {
  int32_t batch, depth, units, rank, memory; /* rank filters for each unit */
  int32_t x_zero, state_zero, y_zero;        /* integers: zero points, and factors as Q31 multipliers */
  int32_t to_state, to_state_shift, to_y, to_y_shift;
  int32_t activation; /* float: 0 none, 1 a clamp, 2 the hyperbolic tangent */
  float low, high;
} byoc_svdf_t;

/* x [batch, depth], feature [filters, depth], time [filters, memory], state and next [batch, filters, memory], bias
   null or [units], y [batch, units]. next may be state. S: the type of the state. */
#define BYOC_SVDF(name, X, S, B)                                                                                    \
  void name(const byoc_svdf_t* p, const X* x, const X* feature, const S* time, const S* state, const B* bias, X* y, \
            S* next)

#endif
