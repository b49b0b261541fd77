/* Convolution of each channel with a filter of its own.
   Weights: channels last [kernel][channels], channels first [channels][kernel]. Bias: one for each channel. */
#ifndef BYOC_DEPTHWISE_F32_H
#define BYOC_DEPTHWISE_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

typedef struct {
  int32_t batch, channels;
  /* depth, height, width */
  int32_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
  byoc_bounds_f32_t bounds;
} byoc_depthwise_f32_t;

#define BYOC_DEPTHWISE_F32(name)                                                                       \
  void name(const byoc_depthwise_f32_t* p, const float* BYOC_RESTRICT x, const float* BYOC_RESTRICT w, \
            const float* BYOC_RESTRICT bias, float* BYOC_RESTRICT y)

BYOC_DEPTHWISE_F32(byoc_depthwise_nhwc_f32);
BYOC_DEPTHWISE_F32(byoc_depthwise_nchw_f32);

#endif
