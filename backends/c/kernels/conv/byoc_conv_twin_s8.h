/* Parameters of int8 convolutions that take four channels at a time, with what scales their sums in one stream. */
#ifndef BYOC_CONV_TWIN_S8_H
#define BYOC_CONV_TWIN_S8_H

#include "byoc_conv_s8.h"

typedef struct byoc_conv_twin_s8_t {
  byoc_conv_s8_t conv; /* of its requant only min and max */
  /* Records for every four channels of a group, which is filled up with zeros: the biases of channels 0, 2, 1 and
     3, then for each in order its scale, start and shift as in byoc_channel_t; or, with BYOC_REQUANT_LINE, a scale
     and a start, with which a result is (sum * scale + start * 2^32) >> (32 + shift) for any possible sum. */
  const int32_t* channels;
  int32_t shift; /* of all lines */
} byoc_conv_twin_s8_t;

void byoc_conv_s8_dsp_twin(const byoc_conv_twin_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_dsp_twin_line(const byoc_conv_twin_s8_t* p, const int8_t* in, int8_t* out, void* workspace);

void byoc_conv_s8_dsp_twin_block(const byoc_conv_twin_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_dsp_twin_line_block(const byoc_conv_twin_s8_t* p, const int8_t* in, int8_t* out, void* workspace);

/* As above, for a depthwise convolution, whose in_c is that of the image; always lines. */
void byoc_depthwise_s8_dsp_taps(const byoc_conv_twin_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
#endif
