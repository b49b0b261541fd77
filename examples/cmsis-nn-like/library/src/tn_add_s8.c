#include "tn_support.h"

void tn_add_s8(const tn_sum* p, int32_t count, const int8_t* a, const int8_t* b, int8_t* out) {
  for (int32_t i = 0; i < count; ++i) {
    const int32_t u = tn_scaled((a[i] - p->a_zero) * (1 << p->left), p->a);
    const int32_t v = tn_scaled((b[i] - p->b_zero) * (1 << p->left), p->b);
    out[i] = (int8_t)tn_clamp(tn_scaled(u + v, p->out) + p->out_zero, p->low, p->high);
  }
}
