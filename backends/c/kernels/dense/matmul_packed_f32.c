/* Each right matrix is packed for BYOC_PRODUCT, a kernel of byoc_fully_connected_f32.h, and multiplied with it. */
#include "byoc_fully_connected_f32.h"
#include "byoc_matmul_f32.h"

/* to[block of 4 columns][depth][4] = alpha * b, filled up with zeros. */
static void pack(const byoc_matmul_f32_t* p, const float* b, float* to) {
  int32_t j, k, i;
  for (j = 0; j < p->columns; j += 4) {
    const float* from = b + (byoc_offset_t)j * p->b_column;
    const int32_t count = p->columns - j < 4 ? p->columns - j : 4;
    for (k = 0; k < p->depth; ++k, from += p->b_depth, to += 4) {
      for (i = 0; i < count; ++i) to[i] = p->alpha * from[(byoc_offset_t)i * p->b_column];
      for (; i < 4; ++i) to[i] = 0.0f;
    }
  }
}

void BYOC_SYMBOL(const byoc_matmul_f32_t* p, const float* a, const float* b, float* y, float* work) {
  const int32_t units = (p->columns + 3) / 4 * 4;
  float *packed = work + units, *bias = work;
  const float* is_packed = NULL;
  int32_t index[BYOC_MATMUL_BATCH_RANK] = {0};
  int32_t d;
  byoc_fully_connected_f32_t product;
  product.rows = p->rows;
  product.depth = p->depth;
  product.units = p->columns;
  product.bounds = p->bounds;
  for (d = 0; d < units; ++d) bias[d] = 0.0f;
  do {
    if (b != is_packed) pack(p, b, packed);
    is_packed = b;
    BYOC_PRODUCT(&product, a, packed, bias, y);
    y += (byoc_offset_t)p->rows * p->columns;
  } while (byoc_next_batch(p, index, &a, &b));
}
