/* Height and width of [batches][in_height][in_width][depth] resized, TFLite's bilinear interpolation. */
#ifndef BYOC_RESIZE_BILINEAR_H
#define BYOC_RESIZE_BILINEAR_H

#include "byoc_kernel.h"

/* For each output row or column: the two of the input between which it lies, and how far above the lower one: in
   1/1024 as int32_t for int8, else as float. */
typedef struct byoc_resize_axis_t {
  int32_t in, out;
  const int32_t *lower, *upper;
  const void* above;
} byoc_resize_axis_t;

typedef struct byoc_resize_bilinear_t {
  int32_t batches, depth;
  byoc_resize_axis_t height, width;
} byoc_resize_bilinear_t;

void byoc_resize_bilinear_f32(const byoc_resize_bilinear_t* p, const float* x, float* y);
void byoc_resize_bilinear_s8(const byoc_resize_bilinear_t* p, const int8_t* x, int8_t* y);
void byoc_resize_bilinear_s8_wide(const byoc_resize_bilinear_t* p, const int8_t* x, int8_t* y);

#endif
