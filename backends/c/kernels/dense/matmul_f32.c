#include "byoc_matmul_f32.h"

/* One row of the result. */
static inline void row(const byoc_matmul_f32_t* p, const float* a, const float* b, const float* c, float* y) {
  int32_t j, k;
  for (j = 0; j + 4 <= p->columns; j += 4) {
    const float* from = b + (byoc_offset_t)j * p->b_column;
    const byoc_offset_t one = p->b_column;
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    for (k = 0; k < p->depth; ++k, from += p->b_depth) {
      const float v = a[(byoc_offset_t)k * p->a_depth];
      s0 += v * from[0];
      s1 += v * from[one];
      s2 += v * from[2 * one];
      s3 += v * from[3 * one];
    }
    y[j] = s0, y[j + 1] = s1, y[j + 2] = s2, y[j + 3] = s3;
  }
  for (; j < p->columns; ++j) {
    const float* from = b + (byoc_offset_t)j * p->b_column;
    float sum = 0.0f;
    for (k = 0; k < p->depth; ++k, from += p->b_depth) sum += a[(byoc_offset_t)k * p->a_depth] * *from;
    y[j] = sum;
  }
  for (j = 0; j < p->columns; ++j) {
    const float add = c ? p->beta * c[(byoc_offset_t)j * p->c_column] : 0.0f;
    y[j] = byoc_clamp_f32(p->alpha * y[j] + add, p->bounds);
  }
}

void BYOC_SYMBOL(const byoc_matmul_f32_t* p, const float* a, const float* b, const float* c, float* y) {
  int32_t index[BYOC_MATMUL_BATCH_RANK] = {0};
  int32_t i;
  do {
    for (i = 0; i < p->rows; ++i, y += p->columns)
      row(p, a + (byoc_offset_t)i * p->a_row, b, c ? c + (byoc_offset_t)i * p->c_row : c, y);
  } while (byoc_next_batch(p, index, &a, &b));
}
