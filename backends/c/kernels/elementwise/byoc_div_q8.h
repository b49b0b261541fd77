/* Quotients of 8-bit quantised elements: dequantised, divided in float, quantised with halves to even. */
#ifndef BYOC_DIV_Q8_H
#define BYOC_DIV_Q8_H

#include "byoc_binary.h"

typedef struct {
  byoc_binary_t loops;
  float a_scale, b_scale, scale;
  int32_t a_zero, b_zero, zero, min, max;
} byoc_div_q8_t;

#define BYOC_DIV_Q8(name, T) void name(const byoc_div_q8_t* p, const T* a, const T* b, T* y)

BYOC_DIV_Q8(byoc_div_q8_i8, int8_t);
BYOC_DIV_Q8(byoc_div_q8_u8, uint8_t);

#endif
