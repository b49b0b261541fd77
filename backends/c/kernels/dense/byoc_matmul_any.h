/* Matrix products of any element types and strides. */
#ifndef BYOC_MATMUL_ANY_H
#define BYOC_MATMUL_ANY_H

#include "byoc_kernel.h"

/* Steps in elements; batch dims outermost first. The result is dense. */
typedef struct {
  int32_t batch[4], a_batch[4], b_batch[4];
  int32_t rows, depth, columns;
  int32_t a_row, a_depth, b_depth, b_column, c_row, c_column;
} byoc_matmul_any_t;

/* alpha * a * b + beta * c inside [least, most]; c may be null. Integers wrap around. */
#define BYOC_MATMUL_PLAIN(name, X, T) \
  void name(const byoc_matmul_any_t* p, const X* a, const X* b, const X* c, X* y, T alpha, T beta, T least, T most)

/* Where the parameters of a row of a, or a column of b, are. */
typedef struct {
  int32_t a_batch[4], b_batch[4], a_row, b_column;
} byoc_matmul_parameters_t;

/* Zero points may be null. */
#define BYOC_MATMUL_INTEGER(name, A, B)                                                                                \
  void name(const byoc_matmul_any_t* p, const byoc_matmul_parameters_t* zero, const A* a, const B* b, const A* a_zero, \
            const B* b_zero, int32_t* y)
#define BYOC_MATMUL_QLINEAR(name, A, B, Y)                                                                           \
  void name(const byoc_matmul_any_t* p, const byoc_matmul_parameters_t* scale, const byoc_matmul_parameters_t* zero, \
            const A* a, const float* a_scale, const A* a_zero, const B* b, const float* b_scale, const B* b_zero,    \
            const float* y_scale, const Y* y_zero, Y* y)

#endif
