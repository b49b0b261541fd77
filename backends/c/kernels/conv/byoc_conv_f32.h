/* Convolution as a product of packed weights and gathered patches.
   Weights: [group][block of 4 output channels][depth][4], the last block of a group filled up with zeros. The depth
   of a patch runs in the order of the input's layout: (kernel, channel) for channels last, (channel, kernel) for
   channels first. Bias: one for each packed output channel.
   patch: depth * BYOC_BLOCK_PIXELS floats of workspace. */
#ifndef BYOC_CONV_F32_H
#define BYOC_CONV_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

typedef struct {
  int32_t batch, groups;
  int32_t in_channels, out_channels; /* of one group */
  /* depth, height, width */
  int32_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
  byoc_bounds_f32_t bounds;
} byoc_conv_f32_t;

#define BYOC_CONV_F32(name)                                                                                          \
  void name(const byoc_conv_f32_t* p, const float* x, const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias, \
            float* y, float* BYOC_RESTRICT patch)

BYOC_CONV_F32(byoc_conv_nhwc_f32);
BYOC_CONV_F32(byoc_conv_nchw_f32);
/* By the pixels of a block. */
BYOC_CONV_F32(byoc_conv_nhwc_f32_wide8);
BYOC_CONV_F32(byoc_conv_nchw_f32_wide8);
BYOC_CONV_F32(byoc_conv_nhwc_f32_wide16);
BYOC_CONV_F32(byoc_conv_nchw_f32_wide16);
BYOC_CONV_F32(byoc_conv_nhwc_f32_wide32);
BYOC_CONV_F32(byoc_conv_nchw_f32_wide32);
BYOC_CONV_F32(byoc_conv_nhwc_f32_mve);
BYOC_CONV_F32(byoc_conv_nchw_f32_mve);

#endif
