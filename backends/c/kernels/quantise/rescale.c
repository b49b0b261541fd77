/* BYOC_FROM, BYOC_TO: element types of 16, and of 8 or 16 bits. BYOC_RESCALE_WIDE: one of them has 32; differences
   wrap around. */
#include "byoc_quantise.h"

BYOC_RESCALE(BYOC_SYMBOL, BYOC_FROM, BYOC_TO) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
#if defined(BYOC_RESCALE_WIDE)
    const int32_t v = (int32_t)((uint32_t)x[i] - (uint32_t)p->in_zero);
#else
    const int32_t v = (int32_t)x[i] - p->in_zero;
#endif
#if defined(BYOC_REQUANT_ONNX)
    const float real = (float)v * p->in_scale;
    const int32_t q = byoc_round_even(real / p->out_scale);
#else
    const int32_t q = byoc_multiply_q31(v, p->multiplier, p->shift);
#endif
#if defined(BYOC_RESCALE_WIDE)
    const int64_t sum = (int64_t)q + p->zero;
    y[i] = (BYOC_TO)(sum < p->min ? p->min : sum > p->max ? p->max : sum);
#else
    y[i] = (BYOC_TO)(byoc_clamp(q, p->min - p->zero, p->max - p->zero) + p->zero);
#endif
  }
}
