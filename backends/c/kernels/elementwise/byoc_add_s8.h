/* Parameters of the sum, and of the product, of two tensors of 8-bit elements. */
#ifndef BYOC_ADD_S8_H
#define BYOC_ADD_S8_H

#include "byoc_requant.h"

/*
 * An operand in the scale of the sum where there is no table: with u = (x - zero) << left it is
 *   floor((u * multiplier + (u < 0 ? below : above)) / 2^(32 + shift)),
 * byoc_multiply_q31 with its two roundings.
 */
typedef struct byoc_term_t {
  int64_t above, below;
  int32_t zero, multiplier, left, shift;
} byoc_term_t;

/*
 * Tables give each operand's 256 values (index: its bits as int8_t + 128) in the scale of the sum: int32_t fixed point
 * (TFLite), float (ONNX). A difference has the second table negated. Of a product they are the values without their
 * zero points (TFLite), or real (ONNX). Results are int8_t or uint8_t as min and max are. The shape is split into four
 * dims; strides are in elements, 0 where an operand is broadcast.
 */
typedef struct byoc_add_s8_t {
  const void* table0; /* or a byoc_term_t */
  const void* table1;
  float out_scale;           /* ONNX: scale of the output */
  int32_t multiplier, shift; /* TFLite: from the scale of the sum to the output's */
  int32_t zero, min, max;
  int32_t dims[4], stride0[4], stride1[4];
} byoc_add_s8_t;

typedef void (*byoc_add_run_t)(const byoc_add_s8_t* p, const int8_t* x0, const int8_t* x1, int8_t* y);

/* Calls `run` for each run of the innermost dim. */
static inline void byoc_for_each_run(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out,
                                     byoc_add_run_t run) {
  int32_t i, j, k;
  for (i = 0; i < p->dims[0]; ++i) {
    for (j = 0; j < p->dims[1]; ++j) {
      for (k = 0; k < p->dims[2]; ++k, out += p->dims[3]) {
        run(p, in0 + i * p->stride0[0] + j * p->stride0[1] + k * p->stride0[2],
            in1 + i * p->stride1[0] + j * p->stride1[1] + k * p->stride1[2], out);
      }
    }
  }
}

void byoc_add_s8(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out);
void byoc_add_s8_onnx(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out);

void byoc_add_direct_s8(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out);
void byoc_sub_direct_s8(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out);

void byoc_mul_s8(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out);
void byoc_mul_s8_onnx(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out);

void byoc_add_s8_mve(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out);
#endif
