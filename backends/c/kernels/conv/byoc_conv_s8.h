/* Parameters of the int8 convolutions. */
#ifndef BYOC_CONV_S8_H
#define BYOC_CONV_S8_H

#include "byoc_requant.h"

/*
 * Strides of tensors are in elements, so that one kernel serves every layout. A patch is what one output pixel of one
 * group reads: kernel_h x kernel_w x in_c, taps outside the image filled with the zero point.
 */
typedef struct byoc_conv_s8_t {
  const int8_t* weights; /* laid out for the kernel that reads them, which says how */
  byoc_requant_t requant;
  int32_t in_zero;
  int32_t batch, groups;
  int32_t in_h, in_w, in_c; /* in_c: of one group */
  int32_t in_batch, in_row, in_col, in_chan;
  int32_t out_h, out_w, out_c; /* out_c: of one group */
  int32_t out_batch, out_row, out_col, out_chan;
  int16_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
} byoc_conv_s8_t;

/* Declares one of the forms for packed weights. */
#define BYOC_CONV_S8(name) void name(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace)

void byoc_conv_s8(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_onnx(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_exact(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);

void byoc_conv_s8_small(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_small_onnx(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_small_exact(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);

void byoc_conv_s8_dsp(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_dsp_onnx(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_dsp_exact(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_mve(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_mve_onnx(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_conv_s8_mve_exact(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);

/* Depthwise, eight channels through all taps of a pixel; groups = in_c, which is that of the image, as out_c is. */
void byoc_depthwise_s8_mve_taps(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s8_mve_taps_onnx(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s8_mve_taps_exact(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
#endif
