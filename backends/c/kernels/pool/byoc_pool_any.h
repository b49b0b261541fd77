/* Sliding windows over each channel, for any element type and layout. */
#ifndef BYOC_POOL_ANY_H
#define BYOC_POOL_ANY_H

#include "byoc_kernel.h"

/* depth, height, width; steps in elements, the same ones for the result's channels and images. */
typedef struct {
  int32_t batch, channels;
  int32_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3], pad_end[3];
  int32_t x_batch, x_channel, x_step[3], y_batch, y_channel, y_step[3];
  int32_t count_pads; /* the average divides by the taps inside the padded input, not the input alone */
} byoc_pool_any_t;

#define BYOC_POOL_ANY(name, X) void name(const byoc_pool_any_t* p, const X* x, X* y)
/* index: where each result is in x, counted in steps of index_step from the start of its channel; -1 for none. */
#define BYOC_MAX_POOL_INDEX(name, X) \
  void name(const byoc_pool_any_t* p, const int32_t index_step[3], const X* x, X* y, int64_t* index)

#endif
