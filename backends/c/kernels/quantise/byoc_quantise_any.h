/* Quantising with scales and zero points as operands: one of all, for each index of an axis, or in blocks of it. */
#ifndef BYOC_QUANTISE_ANY_H
#define BYOC_QUANTISE_ANY_H

#include "byoc_kernel.h"

/* The tensor is [outer][axis][inner]; `block` indexes of the axis share parameters. Steps are of the parameters. */
typedef struct {
  int32_t outer, axis, inner, block;
  int32_t step_outer, step_axis, step_inner;
} byoc_parameters_t;

/* zero may be null. */
#define BYOC_QUANTISE_ANY(name, X, S, Y) \
  void name(const byoc_parameters_t* p, const X* x, const S* scale, const Y* zero, Y* y)
#define BYOC_DEQUANTISE_ANY(name, X, S) \
  void name(const byoc_parameters_t* p, const X* x, const S* scale, const X* zero, S* y)

/* To u8 with the scale and zero point that the range of x asks for. */
void byoc_dynamic_quantise(int32_t count, const float* x, uint8_t* y, float* scale, uint8_t* zero);

/* To i8, each row with the scale and zero point that its own range asks for. */
#define BYOC_DYNAMIC_QUANTISE_ROWS(name) \
  void name(int32_t rows, int32_t length, const float* x, int8_t* y, float* scale, int8_t* zero)

#endif
