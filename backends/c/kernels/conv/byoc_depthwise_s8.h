/* Parameters of the int8 depthwise convolutions. */
#ifndef BYOC_DEPTHWISE_S8_H
#define BYOC_DEPTHWISE_S8_H

#include "byoc_conv_s8.h"

typedef struct byoc_depthwise_s8_t {
  byoc_conv_s8_t conv; /* in_c, out_c: of the whole image; groups = in_c */
  int32_t plane_w;     /* elements in a row of the plane, border included */
  int32_t band_rows;   /* output rows computed from one plane */
  int32_t form;        /* DSP extension, 3x3 of stride 1, not 0: requant.scale has a scale and a start of each channel,
                          with which a result is (sum * scale + start * 2^32) >> (32 + form) for any sum;
                          MVE: results are computed in blocks of four, form & 7 of them side by side (1, 2, 4), but
                          for 0; form & 8: two channels share a plane, if the image's address is even */
} byoc_depthwise_s8_t;

/* Declares one of the forms for packed weights. */
#define BYOC_DEPTHWISE_S8(name) void name(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace)

void byoc_depthwise_s8(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s8_onnx(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s8_exact(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace);

void byoc_depthwise_s8_dsp(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s8_dsp_onnx(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s8_dsp_exact(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s8_mve(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s8_mve_onnx(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
void byoc_depthwise_s8_mve_exact(const byoc_depthwise_s8_t* p, const int8_t* in, int8_t* out, void* workspace);
#endif
