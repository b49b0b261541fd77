/* Between real and quantised elements, and from one quantisation to another. */
#ifndef BYOC_QUANTISE_H
#define BYOC_QUANTISE_H

#include "byoc_requant.h"

/* A scale and a zero point for each channel of [outer, channels, inner]; channels is 1 for one of all. */
typedef struct byoc_scales_t {
  int32_t outer, channels, inner;
  const float* scale;
  const int32_t* zero;
} byoc_scales_t;

/*
 * byoc_quantise_<from>_<to>: x / scale rounded to nearest, plus the zero point, saturated; not-a-number is the least
 * value. Halves go to even (ONNX), away from zero in the kernels of TFLite.
 */
#define BYOC_QUANTISE(name, from, to) void name(const byoc_scales_t* p, const from* x, to* y)

BYOC_QUANTISE(byoc_quantise_f32_i8, float, int8_t);
BYOC_QUANTISE(byoc_quantise_f32_u8, float, uint8_t);
BYOC_QUANTISE(byoc_quantise_f32_i16, float, int16_t);
BYOC_QUANTISE(byoc_quantise_f32_u16, float, uint16_t);
BYOC_QUANTISE(byoc_quantise_f32_i8_onnx, float, int8_t);
BYOC_QUANTISE(byoc_quantise_f32_u8_onnx, float, uint8_t);
BYOC_QUANTISE(byoc_quantise_f32_i16_onnx, float, int16_t);
BYOC_QUANTISE(byoc_quantise_f32_u16_onnx, float, uint16_t);
BYOC_QUANTISE(byoc_quantise_f32_i8_mve, float, int8_t);
BYOC_QUANTISE(byoc_quantise_f32_u8_mve, float, uint8_t);
BYOC_QUANTISE(byoc_quantise_f32_i16_mve, float, int16_t);
BYOC_QUANTISE(byoc_quantise_f32_u16_mve, float, uint16_t);
BYOC_QUANTISE(byoc_quantise_f32_i8_mve_onnx, float, int8_t);
BYOC_QUANTISE(byoc_quantise_f32_u8_mve_onnx, float, uint8_t);
BYOC_QUANTISE(byoc_quantise_f32_i16_mve_onnx, float, int16_t);
BYOC_QUANTISE(byoc_quantise_f32_u16_mve_onnx, float, uint16_t);
BYOC_QUANTISE(byoc_quantise_i32_i8_onnx, int32_t, int8_t);
BYOC_QUANTISE(byoc_quantise_i32_u8_onnx, int32_t, uint8_t);
BYOC_QUANTISE(byoc_quantise_i32_i16_onnx, int32_t, int16_t);
BYOC_QUANTISE(byoc_quantise_i32_u16_onnx, int32_t, uint16_t);

/*
 * byoc_dequantise_<from>: (x - zero) * scale. Up to 16 bits TFLite's product in double, rounded once, is the float
 * product, because the difference is exact; for int32_t it is a kernel of its own.
 */
#define BYOC_DEQUANTISE(name, from) void name(const byoc_scales_t* p, const from* x, float* y)

BYOC_DEQUANTISE(byoc_dequantise_i8, int8_t);
BYOC_DEQUANTISE(byoc_dequantise_u8, uint8_t);
BYOC_DEQUANTISE(byoc_dequantise_i16, int16_t);
BYOC_DEQUANTISE(byoc_dequantise_u16, uint16_t);
BYOC_DEQUANTISE(byoc_dequantise_i32, int32_t);
BYOC_DEQUANTISE(byoc_dequantise_i32_onnx, int32_t);

/* From 8 bits: the result of every element's bits, as the index of an unsigned byte. */
#define BYOC_LOOKUP(name, to) void name(int32_t count, const to* table, const void* x, to* y)

BYOC_LOOKUP(byoc_lookup_8, uint8_t);
BYOC_LOOKUP(byoc_lookup_16, uint16_t);
BYOC_LOOKUP(byoc_lookup_32, uint32_t);

/* From 16 bits, or between 16 and 32. */
typedef struct byoc_rescale_t {
  int32_t count, in_zero, zero, min, max;
  float in_scale, out_scale; /* ONNX */
  int32_t multiplier, shift; /* TFLite */
} byoc_rescale_t;

#define BYOC_RESCALE(name, from, to) void name(const byoc_rescale_t* p, const from* x, to* y)

BYOC_RESCALE(byoc_rescale_i16_i8, int16_t, int8_t);
BYOC_RESCALE(byoc_rescale_i16_u8, int16_t, uint8_t);
BYOC_RESCALE(byoc_rescale_i16_i16, int16_t, int16_t);
BYOC_RESCALE(byoc_rescale_i16_u16, int16_t, uint16_t);
BYOC_RESCALE(byoc_rescale_u16_i8, uint16_t, int8_t);
BYOC_RESCALE(byoc_rescale_u16_u8, uint16_t, uint8_t);
BYOC_RESCALE(byoc_rescale_u16_i16, uint16_t, int16_t);
BYOC_RESCALE(byoc_rescale_u16_u16, uint16_t, uint16_t);
BYOC_RESCALE(byoc_rescale_i16_i32, int16_t, int32_t);
BYOC_RESCALE(byoc_rescale_i32_i8, int32_t, int8_t);
BYOC_RESCALE(byoc_rescale_i32_i16, int32_t, int16_t);
BYOC_RESCALE(byoc_rescale_i16_i8_onnx, int16_t, int8_t);
BYOC_RESCALE(byoc_rescale_i16_u8_onnx, int16_t, uint8_t);
BYOC_RESCALE(byoc_rescale_i16_i16_onnx, int16_t, int16_t);
BYOC_RESCALE(byoc_rescale_i16_u16_onnx, int16_t, uint16_t);
BYOC_RESCALE(byoc_rescale_u16_i8_onnx, uint16_t, int8_t);
BYOC_RESCALE(byoc_rescale_u16_u8_onnx, uint16_t, uint8_t);
BYOC_RESCALE(byoc_rescale_u16_i16_onnx, uint16_t, int16_t);
BYOC_RESCALE(byoc_rescale_u16_u16_onnx, uint16_t, uint16_t);

#endif
