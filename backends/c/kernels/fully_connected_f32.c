#include "byoc_fully_connected_f32.h"
#include "byoc_mac_f32.h"

static inline void store(const float* sums, int32_t count, byoc_bounds_f32_t bounds, float* y) {
  int32_t i;
  for (i = 0; i < count; ++i) y[i] = byoc_clamp_f32(sums[i], bounds);
}

/* Two blocks: 8 units share each element of x. */
static inline void two_blocks(int32_t depth, const float* BYOC_RESTRICT x, const float* BYOC_RESTRICT w,
                              const float* bias, float* BYOC_RESTRICT sums) {
  const float* BYOC_RESTRICT v = w + (ptrdiff_t)depth * 4;
  float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
  float b0 = 0, b1 = 0, b2 = 0, b3 = 0;
  int32_t k;
  for (k = depth; k > 0; --k, w += 4, v += 4) {
    const float e = *x++;
    BYOC_MAC(a0, w[0], e), BYOC_MAC(a1, w[1], e), BYOC_MAC(a2, w[2], e), BYOC_MAC(a3, w[3], e);
    BYOC_MAC(b0, v[0], e), BYOC_MAC(b1, v[1], e), BYOC_MAC(b2, v[2], e), BYOC_MAC(b3, v[3], e);
  }
  sums[0] = a0 + bias[0], sums[1] = a1 + bias[1], sums[2] = a2 + bias[2], sums[3] = a3 + bias[3];
  sums[4] = b0 + bias[4], sums[5] = b1 + bias[5], sums[6] = b2 + bias[6], sums[7] = b3 + bias[7];
}

static inline void one_block(int32_t depth, const float* BYOC_RESTRICT x, const float* BYOC_RESTRICT w,
                             const float* bias, float* BYOC_RESTRICT sums) {
  float a0 = 0, a1 = 0, a2 = 0, a3 = 0;
  int32_t k;
  for (k = depth; k > 0; --k, w += 4) {
    const float e = *x++;
    BYOC_MAC(a0, w[0], e), BYOC_MAC(a1, w[1], e), BYOC_MAC(a2, w[2], e), BYOC_MAC(a3, w[3], e);
  }
  sums[0] = a0 + bias[0], sums[1] = a1 + bias[1], sums[2] = a2 + bias[2], sums[3] = a3 + bias[3];
}

BYOC_FULLY_CONNECTED_F32(BYOC_SYMBOL) {
  int32_t row, unit;
  float sums[8];
  for (row = 0; row < p->rows; ++row, x += p->depth, y += p->units) {
    for (unit = 0; unit + 4 < p->units; unit += 8) {
      const int32_t left = p->units - unit;
      two_blocks(p->depth, x, w + (ptrdiff_t)unit * p->depth, bias + unit, sums);
      store(sums, left < 8 ? left : 8, p->bounds, y + unit);
    }
    if (unit < p->units) {
      one_block(p->depth, x, w + (ptrdiff_t)unit * p->depth, bias + unit, sums);
      store(sums, p->units - unit, p->bounds, y + unit);
    }
  }
}
