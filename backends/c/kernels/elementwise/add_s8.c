/* Sum or difference, or BYOC_OPERATOR *: product, of two int8 tensors with broadcasting, for any core. */
#include "byoc_add_s8.h"
#include "byoc_channel.h"
#include "byoc_kernel.h"

#if !defined(BYOC_OPERATOR)
#define BYOC_OPERATOR +
#endif

#if defined(__ARM_FEATURE_DSP) && !defined(BYOC_REQUANT_ONNX)
#include "byoc_requant_dsp.h"

/* Only saturated, where the fast way covers the scale. */
static int32_t run_dsp(const byoc_add_s8_t* p, const int8_t* x0, const int8_t* x1, int8_t* y) {
  const int32_t *t0 = (const int32_t*)p->table0 + 128, *t1 = (const int32_t*)p->table1 + 128;
  const int32_t step0 = p->stride0[3], step1 = p->stride1[3];
  const byoc_channel_t c = byoc_channel_of(p->multiplier, p->shift, p->zero);
  const int8_t* const end = y + p->dims[3];
  if (!c.shift || p->min > -128 || p->max < 127) return 0;
  for (; y != end; x0 += step0, x1 += step1) *y++ = (int8_t)byoc_requantise_dsp(c, t0[*x0] BYOC_OPERATOR t1[*x1]);
  return 1;
}
#endif

#if !defined(BYOC_REQUANT_ONNX)
/* Where the fast way covers the scale. */
static int32_t run_fast(const byoc_add_s8_t* p, const int8_t* x0, const int8_t* x1, int8_t* y) {
  const int32_t *t0 = (const int32_t*)p->table0 + 128, *t1 = (const int32_t*)p->table1 + 128;
  const int32_t step0 = p->stride0[3], step1 = p->stride1[3], low = p->min, high = p->max;
  const byoc_channel_t c = byoc_channel_of(p->multiplier, p->shift, p->zero);
  const int8_t* const end = y + p->dims[3];
  if (!c.shift) return 0;
  for (; y != end; x0 += step0, x1 += step1)
    *y++ = (int8_t)byoc_clamp(byoc_scale_sum(c, t0[*x0] BYOC_OPERATOR t1[*x1]), low, high);
  return 1;
}
#endif

static void run(const byoc_add_s8_t* p, const int8_t* x0, const int8_t* x1, int8_t* y) {
#if defined(BYOC_REQUANT_ONNX)
  const float *t0 = (const float*)p->table0 + 128, *t1 = (const float*)p->table1 + 128;
#else
  const int32_t *t0 = (const int32_t*)p->table0 + 128, *t1 = (const int32_t*)p->table1 + 128;
#endif
  const int32_t step0 = p->stride0[3], step1 = p->stride1[3], low = p->min - p->zero, high = p->max - p->zero;
  int32_t n;
#if defined(__ARM_FEATURE_DSP) && !defined(BYOC_REQUANT_ONNX)
  if (run_dsp(p, x0, x1, y)) return;
#endif
#if !defined(BYOC_REQUANT_ONNX)
  if (run_fast(p, x0, x1, y)) return;
#endif
  for (n = p->dims[3]; n > 0; --n, x0 += step0, x1 += step1) {
#if defined(BYOC_REQUANT_ONNX)
    const float sum = t0[*x0] BYOC_OPERATOR t1[*x1];
    const int32_t v = byoc_round_even(sum / p->out_scale);
#else
    const int32_t v = byoc_multiply_q31(t0[*x0] BYOC_OPERATOR t1[*x1], p->multiplier, p->shift);
#endif
    *y++ = (int8_t)(byoc_clamp(v, low, high) + p->zero);
  }
}

void BYOC_SYMBOL(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out) {
  byoc_for_each_run(p, in0, in1, out, run);
}
