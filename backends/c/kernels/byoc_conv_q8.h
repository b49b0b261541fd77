/* Parameters of the convolution that takes any 8-bit operands. */
#ifndef BYOC_CONV_Q8_H
#define BYOC_CONV_Q8_H

#include "byoc_conv_s8.h"

typedef struct byoc_conv_q8_t {
  byoc_conv_s8_t conv;       /* the bias is the layer's own; u8 weights and their zero points are moved down by 128 */
  const int8_t* weight_zero; /* one for each output channel; null: all are 0 */
} byoc_conv_q8_t;

/* By the type of the input. Results are int8_t or uint8_t as requant.min and max are. */
void byoc_conv_q8_i8(const byoc_conv_q8_t* p, const void* in, void* out);
void byoc_conv_q8_u8(const byoc_conv_q8_t* p, const void* in, void* out);
void byoc_conv_q8_i8_onnx(const byoc_conv_q8_t* p, const void* in, void* out);
void byoc_conv_q8_i8_exact(const byoc_conv_q8_t* p, const void* in, void* out);
void byoc_conv_q8_u8_onnx(const byoc_conv_q8_t* p, const void* in, void* out);
void byoc_conv_q8_u8_exact(const byoc_conv_q8_t* p, const void* in, void* out);

#endif
