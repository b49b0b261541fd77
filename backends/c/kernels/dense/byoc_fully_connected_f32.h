/* y[rows][units] = x[rows][depth] * w^T + bias.
   Weights: [block of 4 units][depth][4], the last block filled up with zeros; bias: one for each packed unit. */
#ifndef BYOC_FULLY_CONNECTED_F32_H
#define BYOC_FULLY_CONNECTED_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

typedef struct {
  int32_t rows, depth, units;
  byoc_bounds_f32_t bounds;
} byoc_fully_connected_f32_t;

#define BYOC_FULLY_CONNECTED_F32(name)                                                                       \
  void name(const byoc_fully_connected_f32_t* p, const float* BYOC_RESTRICT x, const float* BYOC_RESTRICT w, \
            const float* BYOC_RESTRICT bias, float* BYOC_RESTRICT y)

BYOC_FULLY_CONNECTED_F32(byoc_fully_connected_f32);
BYOC_FULLY_CONNECTED_F32(byoc_fully_connected_f32_mve);

#endif
