/* y = clamp(alpha * a * b + beta * c) over broadcast batches; any operand may be transposed through its strides. */
#ifndef BYOC_MATMUL_F32_H
#define BYOC_MATMUL_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

#define BYOC_MATMUL_BATCH_RANK 4

/* Strides in elements; 0 where an operand is broadcast. y is dense. */
typedef struct {
  int32_t batch[BYOC_MATMUL_BATCH_RANK], a_batch[BYOC_MATMUL_BATCH_RANK], b_batch[BYOC_MATMUL_BATCH_RANK];
  int32_t rows, depth, columns;
  int32_t a_row, a_depth, b_depth, b_column, c_row, c_column;
  float alpha, beta;
  byoc_bounds_f32_t bounds;
} byoc_matmul_f32_t;

/* Moves a and b on to the next batch, whose index in each run of batches is in `index`; 0 behind the last. */
static inline int byoc_next_batch(const byoc_matmul_f32_t* p, int32_t* index, const float** a, const float** b) {
  int32_t d;
  for (d = BYOC_MATMUL_BATCH_RANK - 1; d >= 0; --d) {
    *a += p->a_batch[d];
    *b += p->b_batch[d];
    if (++index[d] < p->batch[d]) return 1;
    *a -= (byoc_offset_t)p->a_batch[d] * p->batch[d];
    *b -= (byoc_offset_t)p->b_batch[d] * p->batch[d];
    index[d] = 0;
  }
  return 0;
}

/* c may be NULL. */
void byoc_matmul_f32(const byoc_matmul_f32_t* p, const float* a, const float* b, const float* c, float* y);

/* A product without c, of an `a` whose rows are dense. `work`: columns rounded up to 4, times depth + 1 floats. */
#define BYOC_MATMUL_PACKED_F32(name) \
  void name(const byoc_matmul_f32_t* p, const float* a, const float* b, float* y, float* work)

#endif
