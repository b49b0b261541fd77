/* The reciprocal of a square root in gemmlowp's fixed point. */
#ifndef BYOC_INVERSE_ROOT_H
#define BYOC_INVERSE_ROOT_H

#include "byoc_fixed_point.h"

/* 1 / sqrt(x) as *q * 2^(*shift - 31): five Newton steps in Q3.28 on [1/2, 2); 0 counts as 1. */
static inline void byoc_inverse_root(int32_t x, int32_t* q, int32_t* shift) {
  int32_t right = 11, pairs, half, y = (int32_t)1 << 28, i;
  *q = INT32_MAX;
  *shift = 0;
  if (x <= 1) return;
  for (; x >= (int32_t)1 << 29; ++right) x /= 4;
  pairs = (byoc_leading_zeros((uint32_t)x) - 1) / 2 - 1;
  right -= pairs;
  x = (int32_t)((uint32_t)x << (2 * pairs));
  half = byoc_divide_pot(x >> 1, 1);
  for (i = 0; i < 5; ++i) {
    const int32_t cube = byoc_times_pot(byoc_high_mul(byoc_high_mul(y, y), y), 6);
    y = byoc_times_pot(byoc_high_mul(((int32_t)1 << 28) + ((int32_t)1 << 27), y) - byoc_high_mul(half, cube), 3);
  }
  y = byoc_high_mul(y, 1518500250);
  *q = right < 0 ? (int32_t)((uint32_t)y << -right) : y;
  *shift = right < 0 ? 0 : -right;
}

#endif
