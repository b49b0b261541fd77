/* Weights of general kernels: int8_t, or with BYOC_WEIGHTS_INT4 two to a byte with the first in the low half. */
#ifndef BYOC_WEIGHT_H
#define BYOC_WEIGHT_H

#include "byoc_kernel.h"

#if defined(BYOC_WEIGHTS_INT4)
static inline int32_t byoc_weight(const void* weights, ptrdiff_t i) {
  const int32_t pair = ((const uint8_t*)weights)[i >> 1];
  return (((i & 1) ? pair >> 4 : pair & 15) ^ 8) - 8;
}
#else
static inline int32_t byoc_weight(const void* weights, ptrdiff_t i) { return ((const int8_t*)weights)[i]; }
#endif

#endif
