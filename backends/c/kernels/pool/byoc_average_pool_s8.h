/* Parameters of the average pools of integers. */
#ifndef BYOC_AVERAGE_POOL_S8_H
#define BYOC_AVERAGE_POOL_S8_H

#include "byoc_requant.h"

/* Strides of tensors are in elements. Windows are clipped to the image. */
typedef struct byoc_average_pool_s8_t {
  int32_t batch, channels;
  int32_t in_h, in_w, in_batch, in_row, in_col, in_chan;
  int32_t out_h, out_w, out_batch, out_row, out_col, out_chan;
  int16_t kernel_h, kernel_w, stride_h, stride_w, pad_top, pad_left;
  int32_t in_zero, zero, min, max;
  float in_scale, out_scale; /* ONNX: of the input and the output */
  int32_t divisor;           /* ONNX: what a sum is divided by, 0 for the number of elements inside the image */
} byoc_average_pool_s8_t;

/* in and out are of one type, which the name says. */
void byoc_average_pool_s8(const byoc_average_pool_s8_t* p, const void* in, void* out);
void byoc_average_pool_s8_onnx(const byoc_average_pool_s8_t* p, const void* in, void* out);
void byoc_average_pool_u8(const byoc_average_pool_s8_t* p, const void* in, void* out);
void byoc_average_pool_u8_onnx(const byoc_average_pool_s8_t* p, const void* in, void* out);
void byoc_average_pool_s16(const byoc_average_pool_s8_t* p, const void* in, void* out);
void byoc_average_pool_s8_small(const byoc_average_pool_s8_t* p, const void* in, void* out);
void byoc_average_pool_s8_onnx_small(const byoc_average_pool_s8_t* p, const void* in, void* out);
void byoc_average_pool_u8_small(const byoc_average_pool_s8_t* p, const void* in, void* out);
void byoc_average_pool_u8_onnx_small(const byoc_average_pool_s8_t* p, const void* in, void* out);
void byoc_average_pool_s16_small(const byoc_average_pool_s8_t* p, const void* in, void* out);

#endif
