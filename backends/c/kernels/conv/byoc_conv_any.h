/* Convolutions of any element types, layouts and origins of the weights, tap by tap. */
#ifndef BYOC_CONV_ANY_H
#define BYOC_CONV_ANY_H

#include "byoc_kernel.h"

/* Channels are those of one group. Steps are in elements; three dims are depth, height, width. */
typedef struct {
  int32_t batch, groups, in_channels, out_channels;
  int32_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
  int32_t x_batch, x_channel, x_step[3];
  int32_t y_batch, y_channel, y_step[3];
  int32_t w_out, w_in, w_step[3];
} byoc_conv_any_t;

/* bias may be null. */
#define BYOC_CONV_REAL(name, X, T) \
  void name(const byoc_conv_any_t* p, const X* x, const X* w, const X* bias, X* y, T least, T most)

/* Zero points may be null; `steps` is 1 where w has one for each output channel. */
#define BYOC_CONV_INTEGER(name, X, W)                                                                                \
  void name(const byoc_conv_any_t* p, const X* x, const W* w, const X* x_zero, const W* w_zero, int32_t w_zero_step, \
            int32_t* y)

/* Scales and zero points as operands; steps are 1 where there is one for each output channel. */
typedef struct {
  int32_t w_scale_step, w_zero_step;
} byoc_qlinear_steps_t;
#define BYOC_CONV_QLINEAR(name, X, W, Y, B)                                                                            \
  void name(const byoc_conv_any_t* p, const byoc_qlinear_steps_t* steps, const X* x, const float* x_scale,             \
            const X* x_zero, const W* w, const float* w_scale, const W* w_zero, const float* y_scale, const Y* y_zero, \
            const B* bias, Y* y)

/*
 * The transpose: an output element gathers the taps that reach it, which are `tap_step` apart while the input
 * positions are `back` apart. bias may be null. The result is clamped.
 */
typedef struct {
  byoc_conv_any_t conv;
  int32_t tap_step[3], back[3];
} byoc_conv_transpose_t;
#define BYOC_CONV_TRANSPOSE(name, X, T) \
  void name(const byoc_conv_transpose_t* t, const X* x, const X* w, const X* bias, X* y, T least, T most)

/* Taps moved by offsets [batch][offset group][tap][2][pixel], weighted by a mask [batch][offset group][tap][pixel]. */
typedef struct {
  byoc_conv_any_t conv;
  int32_t offset_groups;
} byoc_deform_conv_t;
#define BYOC_DEFORM_CONV(name, X) \
  void name(const byoc_deform_conv_t* d, const X* x, const X* w, const X* offset, const X* bias, const X* mask, X* y)

#endif
