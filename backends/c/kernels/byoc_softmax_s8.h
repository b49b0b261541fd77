/* Parameters of the int8 softmax. */
#ifndef BYOC_SOFTMAX_S8_H
#define BYOC_SOFTMAX_S8_H

#include "byoc_kernel.h"

typedef struct byoc_softmax_s8_t {
  int32_t rows, depth;
  int32_t multiplier, left_shift; /* from a difference of inputs to Q5.26 */
  int32_t least;                  /* differences below it count as nothing */
} byoc_softmax_s8_t;

void byoc_softmax_s8(const byoc_softmax_s8_t* p, const int8_t* in, int8_t* out);

#endif
