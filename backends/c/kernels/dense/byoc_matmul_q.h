/* Products of quantised matrices over broadcast batches; either operand may be transposed through its strides. */
#ifndef BYOC_MATMUL_Q_H
#define BYOC_MATMUL_Q_H

#include "byoc_requant.h"

#define BYOC_MATMUL_Q_RANK 6

/* Strides in elements; 0 where an operand is broadcast. y is dense. */
typedef struct byoc_matmul_q_t {
  byoc_requant_t requant; /* one scale for all; without bias */
  int32_t batch[BYOC_MATMUL_Q_RANK], a_batch[BYOC_MATMUL_Q_RANK], b_batch[BYOC_MATMUL_Q_RANK];
  int32_t rows, depth, columns;
  int32_t a_row, a_depth, b_depth, b_column;
  int32_t a_zero, b_zero;
} byoc_matmul_q_t;

#define BYOC_MATMUL_Q(name, T) void name(const byoc_matmul_q_t* p, const T* a, const T* b, T* y)

#endif
