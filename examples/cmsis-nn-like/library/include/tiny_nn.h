/* A library of kernels for quantised layers, as vendors of processors ship them: TFLite's int8 arithmetic, channels
 * last. It was not written for byoc, and is compiled as it is. */
#ifndef TINY_NN_H
#define TINY_NN_H

#include <stdint.h>

typedef struct {
  int32_t batch, height, width, channels;
} tn_dims;

typedef struct {
  int32_t height, width, stride_y, stride_x, dilation_y, dilation_x, pad_top, pad_left;
} tn_window;

/* value * 2^(shift - 31) */
typedef struct {
  int32_t multiplier, shift;
} tn_scale;

typedef struct {
  tn_dims in, out;
  tn_window window;
  int32_t groups, in_zero, out_zero, low, high;
} tn_layer;

typedef struct {
  tn_scale a, b, out;
  int32_t left, a_zero, b_zero, out_zero, low, high;
} tn_sum;

typedef struct {
  tn_scale in;
  int32_t rows, depth, diff_min;
} tn_softmax;

/* filter: [out channel][row][column][in channel of the group]; one scale for each out channel. */
void tn_convolve_s8(const tn_layer* p, const int8_t* in, const int8_t* filter, const int32_t* bias,
                    const tn_scale* scales, int8_t* out);
void tn_fully_connected_s8(const tn_layer* p, const int8_t* in, const int8_t* weights, const int32_t* bias,
                           const tn_scale* scales, int8_t* out);
void tn_max_pool_s8(const tn_layer* p, const int8_t* in, int8_t* out);
void tn_average_pool_s8(const tn_layer* p, const int8_t* in, int8_t* out);
void tn_add_s8(const tn_sum* p, int32_t count, const int8_t* a, const int8_t* b, int8_t* out);
void tn_softmax_s8(const tn_softmax* p, const int8_t* in, int8_t* out);

#endif
