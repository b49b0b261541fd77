/* Softmax of int16 values over the last axis, with tables of exp on [-10, 0] and 1 / (1 + x) on [0, 1]. */
#ifndef BYOC_SOFTMAX_S16_H
#define BYOC_SOFTMAX_S16_H

#include "byoc_requant.h"

typedef struct byoc_softmax_s16_t {
  int32_t rows, depth;
  int32_t multiplier, shift;  /* from a difference of inputs to [-65535, 0] */
  const int16_t* exponential; /* 513 entries each */
  const int16_t* reciprocal_of_one_plus;
} byoc_softmax_s16_t;

void byoc_softmax_s16(const byoc_softmax_s16_t* p, const int16_t* in, int16_t* out);

#endif
