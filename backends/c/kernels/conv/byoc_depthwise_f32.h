/* Convolution of each channel with a filter of its own, over height and width, 4 channels at a time.
   Weights: [block of 4 channels][kernel][4], the last block filled up with zeros. Bias: one for each packed channel.
   ring: kernel rows of zero-padded input for one block of channels, ring_rows * ring_width * 4 floats of workspace:
     ring_rows = (kernel - 1) * dilation + 1 of the height,
     ring_width = (out - 1) * stride + (kernel - 1) * dilation + 1 of the width. */
#ifndef BYOC_DEPTHWISE_F32_H
#define BYOC_DEPTHWISE_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

typedef struct {
  int32_t batch, channels;
  /* height, width */
  int32_t in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
  int32_t ring_rows, ring_width;
  byoc_bounds_f32_t bounds;
} byoc_depthwise_f32_t;

#define BYOC_DEPTHWISE_F32(name)                                                         \
  void name(const byoc_depthwise_f32_t* p, const float* x, const float* BYOC_RESTRICT w, \
            const float* BYOC_RESTRICT bias, float* y, float* BYOC_RESTRICT ring)

BYOC_DEPTHWISE_F32(byoc_depthwise_nhwc_f32);
BYOC_DEPTHWISE_F32(byoc_depthwise_nchw_f32);
BYOC_DEPTHWISE_F32(byoc_depthwise_nhwc_f32_wide);
BYOC_DEPTHWISE_F32(byoc_depthwise_nchw_f32_wide);
BYOC_DEPTHWISE_F32(byoc_depthwise_nhwc_f32_mve);
BYOC_DEPTHWISE_F32(byoc_depthwise_nchw_f32_mve);

#endif
