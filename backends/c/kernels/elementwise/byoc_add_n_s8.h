/* The sum of any number of int8 tensors with one quantisation, in TFLite's arithmetic. */
#ifndef BYOC_ADD_N_S8_H
#define BYOC_ADD_N_S8_H

#include "byoc_requant.h"

typedef struct {
  int32_t count, inputs; /* elements, and tensors */
  int32_t in_zero, half, half_shift;
  int32_t multiplier, shift, zero;
} byoc_add_n_s8_t;

/* out may be one of the inputs. */
void byoc_add_n_s8(const byoc_add_n_s8_t* p, const int8_t* const* in, int8_t* out);

#endif
