/* Parameters of the int8 matrix-vector product. */
#ifndef BYOC_FULLY_CONNECTED_S8_H
#define BYOC_FULLY_CONNECTED_S8_H

#include "byoc_requant.h"

typedef struct byoc_fully_connected_s8_t {
  const int8_t* weights; /* laid out for the kernel that reads them, which says how */
  byoc_requant_t requant;
  int32_t rows, depth, units; /* in [rows, depth], out [rows, units] */
} byoc_fully_connected_s8_t;

/* Declares one of the forms for packed weights. */
#define BYOC_FULLY_CONNECTED_S8(name) void name(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out)

void byoc_fully_connected_s8(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out);
void byoc_fully_connected_s8_onnx(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out);
void byoc_fully_connected_s8_exact(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out);

void byoc_fully_connected_s8_dsp(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out);
void byoc_fully_connected_s8_dsp_onnx(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out);
void byoc_fully_connected_s8_dsp_exact(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out);
void byoc_fully_connected_s8_mve(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out);
void byoc_fully_connected_s8_mve_onnx(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out);
void byoc_fully_connected_s8_mve_exact(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out);
#endif
