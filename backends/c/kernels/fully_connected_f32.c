#include "byoc_fully_connected_f32.h"

BYOC_FULLY_CONNECTED_F32(BYOC_SYMBOL) {
  int32_t row, unit, k;
  for (row = 0; row < p->rows; ++row, x += p->depth) {
    const float* weight = w;
    for (unit = 0; unit < p->units; unit += 4) {
      const int32_t left = p->units - unit;
      float s0 = bias[unit], s1 = bias[unit + 1], s2 = bias[unit + 2], s3 = bias[unit + 3];
      for (k = 0; k < p->depth; ++k, weight += 4) {
        const float v = x[k];
        s0 += weight[0] * v;
        s1 += weight[1] * v;
        s2 += weight[2] * v;
        s3 += weight[3] * v;
      }
      y[0] = byoc_clamp_f32(s0, p->bounds);
      if (left > 1) y[1] = byoc_clamp_f32(s1, p->bounds);
      if (left > 2) y[2] = byoc_clamp_f32(s2, p->bounds);
      if (left > 3) y[3] = byoc_clamp_f32(s3, p->bounds);
      y += left < 4 ? left : 4;
    }
  }
}
