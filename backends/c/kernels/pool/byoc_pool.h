/* Sliding windows over each channel. */
#ifndef BYOC_POOL_H
#define BYOC_POOL_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

typedef struct {
  int32_t batch, channels;
  /* depth, height, width */
  int32_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3], pad_end[3];
  int32_t count_pads; /* the average divides by the taps inside the padded input, not the input alone */
} byoc_pool_t;

void byoc_average_pool_nhwc_f32(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);
void byoc_average_pool_nhwc_f32_many(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);
void byoc_average_pool_nchw_f32(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);
void byoc_average_pool_nchw_f32_many(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);

/* The root of the mean of the squares. */
void byoc_l2_pool_nhwc_f32(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);
void byoc_l2_pool_nhwc_f32_many(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);
void byoc_l2_pool_nchw_f32(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);
void byoc_l2_pool_nchw_f32_many(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);

void byoc_max_pool_nhwc_f32(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);
void byoc_max_pool_nchw_f32(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);
void byoc_max_pool_nhwc_i8(const byoc_pool_t* p, const int8_t* x, int8_t* y, int8_t lo, int8_t hi);
void byoc_max_pool_nchw_i8(const byoc_pool_t* p, const int8_t* x, int8_t* y, int8_t lo, int8_t hi);
void byoc_max_pool_nchw_i16(const byoc_pool_t* p, const int16_t* x, int16_t* y, int16_t lo, int16_t hi);
void byoc_max_pool_nhwc_i16(const byoc_pool_t* p, const int16_t* x, int16_t* y, int16_t lo, int16_t hi);
void byoc_max_pool_nchw_u16(const byoc_pool_t* p, const uint16_t* x, uint16_t* y, uint16_t lo, uint16_t hi);
void byoc_max_pool_nhwc_u16(const byoc_pool_t* p, const uint16_t* x, uint16_t* y, uint16_t lo, uint16_t hi);
void byoc_max_pool_nhwc_u8(const byoc_pool_t* p, const uint8_t* x, uint8_t* y, uint8_t lo, uint8_t hi);
void byoc_max_pool_nchw_u8(const byoc_pool_t* p, const uint8_t* x, uint8_t* y, uint8_t lo, uint8_t hi);
void byoc_max_pool_nhwc_f32_mve(const byoc_pool_t* p, const float* x, float* y, float lo, float hi);
void byoc_max_pool_nhwc_i8_mve(const byoc_pool_t* p, const int8_t* x, int8_t* y, int8_t lo, int8_t hi);
void byoc_max_pool_nhwc_i16_mve(const byoc_pool_t* p, const int16_t* x, int16_t* y, int16_t lo, int16_t hi);
void byoc_max_pool_nhwc_u16_mve(const byoc_pool_t* p, const uint16_t* x, uint16_t* y, uint16_t lo, uint16_t hi);
void byoc_max_pool_nhwc_u8_mve(const byoc_pool_t* p, const uint8_t* x, uint8_t* y, uint8_t lo, uint8_t hi);

#endif
