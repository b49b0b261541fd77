/*
 * One of
 *   BYOC_PLAIN: BYOC_A of both operands and the result.
 *   BYOC_INTEGER: BYOC_A and BYOC_B less their zero points, summed to int32.
 *   BYOC_QLINEAR: the same, scaled to BYOC_Y in [BYOC_LOW, BYOC_HIGH].
 */
#include "byoc_element.h"
#include "byoc_matmul_any.h"
#include "byoc_nearest.h"

#if defined(BYOC_PLAIN) && defined(BYOC_BITS)
typedef BYOC_A right_t;
typedef BYOC_BITS sum_t;
#define TERM(u, v) ((BYOC_BITS)(u) * (BYOC_BITS)(v))
#elif defined(BYOC_PLAIN)
typedef BYOC_A right_t;
typedef BYOC_T sum_t;
#define TERM(u, v) (BYOC_A_LOAD(u) * BYOC_A_LOAD(v))
#else
typedef BYOC_B right_t;
typedef uint32_t sum_t;
#define TERM(u, v) ((uint32_t)((int32_t)(u) - u_zero) * (uint32_t)((int32_t)(v) - v_zero))
#endif

static inline sum_t product(const byoc_matmul_any_t* p, const BYOC_A* a, const right_t* b, int32_t u_zero,
                            int32_t v_zero) {
  sum_t sum = 0;
  int32_t k;
  (void)u_zero;
  (void)v_zero;
  for (k = 0; k < p->depth; ++k, a += p->a_depth, b += p->b_depth) sum += TERM(*a, *b);
  return sum;
}

#define OFFSET(step, i)                                                                                        \
  ((byoc_offset_t)(i)[0] * (step)[0] + (byoc_offset_t)(i)[1] * (step)[1] + (byoc_offset_t)(i)[2] * (step)[2] + \
   (byoc_offset_t)(i)[3] * (step)[3])

#if defined(BYOC_PLAIN)
BYOC_MATMUL_PLAIN(BYOC_SYMBOL, BYOC_A, BYOC_T) {
#elif defined(BYOC_INTEGER)
BYOC_MATMUL_INTEGER(BYOC_SYMBOL, BYOC_A, BYOC_B) {
#else
BYOC_MATMUL_QLINEAR(BYOC_SYMBOL, BYOC_A, BYOC_B, BYOC_Y) {
#endif
  int32_t i[4], r, col;
  for (i[0] = 0; i[0] < p->batch[0]; ++i[0])
    for (i[1] = 0; i[1] < p->batch[1]; ++i[1])
      for (i[2] = 0; i[2] < p->batch[2]; ++i[2])
        for (i[3] = 0; i[3] < p->batch[3]; ++i[3]) {
          const BYOC_A* left = a + OFFSET(p->a_batch, i);
          const right_t* right = b + OFFSET(p->b_batch, i);
          for (r = 0; r < p->rows; ++r, left += p->a_row) {
            const right_t* column = right;
#if defined(BYOC_PLAIN)
            for (col = 0; col < p->columns; ++col, column += p->b_column) {
#if defined(BYOC_BITS)
              BYOC_BITS v = (BYOC_BITS)alpha * product(p, left, column, 0, 0);
              if (c)
                v += (BYOC_BITS)beta * (BYOC_BITS)c[(byoc_offset_t)r * p->c_row + (byoc_offset_t)col * p->c_column];
              (void)least;
              (void)most;
              *y++ = (BYOC_A)v;
#else
              BYOC_T v = alpha * product(p, left, column, 0, 0);
              if (c) v += beta * (BYOC_T)BYOC_A_LOAD(c[(byoc_offset_t)r * p->c_row + (byoc_offset_t)col * p->c_column]);
              v = v < least ? least : v > most ? most : v;
              *y++ = BYOC_A_STORE(v);
#endif
            }
#else
            const BYOC_A* az = a_zero ? a_zero + OFFSET(zero->a_batch, i) + (byoc_offset_t)r * zero->a_row : NULL;
            const BYOC_B* bz = b_zero ? b_zero + OFFSET(zero->b_batch, i) : NULL;
#if defined(BYOC_QLINEAR)
            const float row_scale = a_scale[OFFSET(scale->a_batch, i) + (byoc_offset_t)r * scale->a_row];
            const float* column_scale = b_scale + OFFSET(scale->b_batch, i);
#endif
            for (col = 0; col < p->columns; ++col, column += p->b_column) {
              const int32_t v_zero = bz ? (int32_t)bz[(byoc_offset_t)col * zero->b_column] : 0;
              const int32_t sum = (int32_t)product(p, left, column, az ? (int32_t)*az : 0, v_zero);
#if defined(BYOC_QLINEAR)
              const float factor = row_scale * column_scale[(byoc_offset_t)col * scale->b_column] / *y_scale;
              *y++ = (BYOC_Y)byoc_nearest((float)sum * factor, (int32_t)*y_zero, BYOC_LOW, BYOC_HIGH);
#else
              *y++ = sum;
#endif
            }
#endif
          }
        }
}
