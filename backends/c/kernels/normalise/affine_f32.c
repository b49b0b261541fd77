#include "byoc_affine_f32.h"

void BYOC_SYMBOL(const byoc_affine_f32_t* p, const float* x, const float* scale, const float* shift, float* y) {
  int32_t o, c, i;
  for (o = 0; o < p->outer; ++o) {
    for (c = 0; c < p->channels; ++c, x += p->inner, y += p->inner) {
      const float m = scale[c], b = shift[c];
      for (i = 0; i < p->inner; ++i) y[i] = byoc_clamp_f32(x[i] * m + b, p->bounds);
    }
  }
}
