/* Parameters of the transposed convolution of quantised operands: channels last, filters [out_c][kernel][in_c]. */
#ifndef BYOC_CONV_TRANSPOSE_Q_H
#define BYOC_CONV_TRANSPOSE_Q_H

#include "byoc_requant.h"

typedef struct byoc_conv_transpose_q_t {
  byoc_requant_t requant; /* without the bias */
  int32_t in_zero;
  int32_t batch;
  int32_t in_h, in_w, in_c;
  int32_t out_h, out_w, out_c;
  int32_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_left;
} byoc_conv_transpose_q_t;

/* By the types of input and result, and of the bias, which may be null. */
#define BYOC_CONV_TRANSPOSE_Q(name, X, B) \
  void name(const byoc_conv_transpose_q_t* p, const X* in, const int8_t* weights, const B* bias, X* out)

#endif
