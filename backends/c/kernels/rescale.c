/* BYOC_FROM, BYOC_TO: element types of 16, and of 8 or 16 bits. */
#include "byoc_quantise.h"

BYOC_RESCALE(BYOC_SYMBOL, BYOC_FROM, BYOC_TO) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    const int32_t v = (int32_t)x[i] - p->in_zero;
#if defined(BYOC_REQUANT_ONNX)
    const float real = (float)v * p->in_scale;
    const int32_t q = byoc_round_even(real / p->out_scale);
#else
    const int32_t q = byoc_multiply_q31(v, p->multiplier, p->shift);
#endif
    y[i] = (BYOC_TO)(byoc_clamp(q, p->min - p->zero, p->max - p->zero) + p->zero);
  }
}
