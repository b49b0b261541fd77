#include "byoc_fixed_point.h"
#include "byoc_l2_normalization.h"
#include "byoc_requant.h"

/* 1 / sqrt(x) as *q * 2^(*shift - 31): five Newton steps in Q3.28 on [1/2, 2); 0 counts as 1. */
static void inverse_square_root(int32_t x, int32_t* q, int32_t* shift) {
  int32_t right = 11, pairs, half, y = 1 << 28, i;
  *q = INT32_MAX;
  *shift = 0;
  if (x <= 1) return;
  for (; x >= 1 << 29; ++right) x /= 4;
  pairs = (byoc_leading_zeros((uint32_t)x) - 1) / 2 - 1;
  right -= pairs;
  x = (int32_t)((uint32_t)x << (2 * pairs));
  half = byoc_divide_pot(x >> 1, 1);
  for (i = 0; i < 5; ++i) {
    const int32_t cube = byoc_times_pot(byoc_high_mul(byoc_high_mul(y, y), y), 6);
    y = byoc_times_pot(byoc_high_mul((1 << 28) + (1 << 27), y) - byoc_high_mul(half, cube), 3);
  }
  y = byoc_high_mul(y, 1518500250);
  *q = right < 0 ? (int32_t)((uint32_t)y << -right) : y;
  *shift = right < 0 ? 0 : -right;
}

void BYOC_SYMBOL(int32_t rows, int32_t depth, int32_t zero, const int8_t* x, int8_t* y) {
  int32_t r, i;
  for (r = 0; r < rows; ++r, x += depth, y += depth) {
    int32_t sum = 0, q, shift;
    for (i = 0; i < depth; ++i) sum += (x[i] - zero) * (x[i] - zero);
    inverse_square_root(sum, &q, &shift);
    for (i = 0; i < depth; ++i) y[i] = (int8_t)byoc_clamp(byoc_multiply_q31(x[i] - zero, q, shift + 7), -128, 127);
  }
}
