#include "byoc_inverse_root.h"
#include "byoc_l2_normalization.h"
#include "byoc_requant.h"

void BYOC_SYMBOL(int32_t rows, int32_t depth, int32_t zero, const int8_t* x, int8_t* y) {
  int32_t r, i;
  for (r = 0; r < rows; ++r, x += depth, y += depth) {
    int32_t sum = 0, q, shift;
    for (i = 0; i < depth; ++i) sum += (x[i] - zero) * (x[i] - zero);
    byoc_inverse_root(sum, &q, &shift);
    for (i = 0; i < depth; ++i) y[i] = (int8_t)byoc_clamp(byoc_multiply_q31(x[i] - zero, q, shift + 7), -128, 127);
  }
}
