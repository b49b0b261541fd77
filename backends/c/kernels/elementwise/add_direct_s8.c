/* Sum, or BYOC_OPERATOR -: difference, of two int8 tensors with broadcasting, without tables. */
#include "byoc_add_s8.h"
#include "byoc_channel.h"

#if !defined(BYOC_OPERATOR)
#define BYOC_OPERATOR +
#endif

static inline int32_t term(const byoc_term_t* t, int32_t x) {
  const int32_t u = (int32_t)((uint32_t)(x - t->zero) << t->left);
  const int64_t sum = (int64_t)u * t->multiplier + (u < 0 ? t->below : t->above);
  return (int32_t)(sum >> 32) >> t->shift;
}

static void run(const byoc_add_s8_t* p, const int8_t* x0, const int8_t* x1, int8_t* y) {
  const byoc_term_t t0 = *(const byoc_term_t*)p->table0, t1 = *(const byoc_term_t*)p->table1;
  const byoc_channel_t c = byoc_channel_of(p->multiplier, p->shift, p->zero);
  const int32_t step0 = p->stride0[3], step1 = p->stride1[3], low = p->min, high = p->max;
  const int8_t* const end = y + p->dims[3];
  for (; y != end; x0 += step0, x1 += step1)
    *y++ = (int8_t)byoc_clamp(byoc_scale_sum(c, term(&t0, *x0) BYOC_OPERATOR term(&t1, *x1)), low, high);
}

void BYOC_SYMBOL(const byoc_add_s8_t* p, const int8_t* in0, const int8_t* in1, int8_t* out) {
  byoc_for_each_run(p, in0, in1, out, run);
}
