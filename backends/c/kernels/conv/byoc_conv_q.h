/* Parameters of the convolution that takes any quantised operands. */
#ifndef BYOC_CONV_Q_H
#define BYOC_CONV_Q_H

#include "byoc_conv_s8.h"

typedef struct byoc_conv_q_t {
  byoc_conv_s8_t conv;        /* without weights and bias */
  int32_t w_out, w_tap, w_in; /* strides of the weights in elements: output channel, tap, input channel of the group */
  const int8_t* weight_zero;  /* one for each output channel; null: all are 0. u8 weights are moved down by 128 */
} byoc_conv_q_t;

/* By the types of input, output, bias and sum. The bias may be null. */
#define BYOC_CONV_Q(name) \
  void name(const byoc_conv_q_t* p, const void* in, const void* weights, const void* bias, void* out)

#endif
