/* Parameters of convolutions of int16 with int8 weights. No operand has a zero point. */
#ifndef BYOC_CONV_S16_H
#define BYOC_CONV_S16_H

#include "byoc_conv_s8.h"

/* Parameters of layers for which byoc_conv_s8_t is not enough. That is enough if the sums of a layer with their
 * bias fit in 32 bits, which its weights prove: then requant.scale has a multiplier for each channel that makes a
 * result of a sum by one rounding multiplication, and requant.shift is unused. Here requant is for
 * byoc_requantise_wide. */
typedef struct byoc_conv_s16_t {
  byoc_conv_s8_t conv;
  const int64_t* bias; /* one a channel */
  int32_t span;        /* as many products of one sum fit in 32 bits; a multiple of 4 */
} byoc_conv_s16_t;

void byoc_conv_s16_dsp(const byoc_conv_s8_t* p, const int16_t* in, int16_t* out, void* workspace);
void byoc_conv_s16_dsp_wide(const byoc_conv_s16_t* p, const int16_t* in, int16_t* out, void* workspace);
void byoc_depthwise_s16_dsp(const byoc_conv_s8_t* p, const int16_t* in, int16_t* out, void* workspace);

/* Images are of bytes here: strides, and channels of the input, are twice as many. */
void byoc_conv_s16_mve(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s16_mve(const byoc_conv_s8_t* p, const int16_t* in, int16_t* out, void* workspace);
void byoc_depthwise_s16_mve_planes(const byoc_conv_s8_t* p, const int16_t* in, int16_t* out, void* workspace);

#endif
