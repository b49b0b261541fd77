/* Average pool of integers for any core, in any layout. BYOC_IN: the element type, int8_t if it is not defined. */
#include "byoc_average_pool_s8.h"
#include "byoc_kernel.h"

#if !defined(BYOC_IN)
#define BYOC_IN int8_t
#endif

#if defined(BYOC_REQUANT_ONNX)
typedef float byoc_sum_t;

/* Every step rounds to float32 in the order of the image; each is a statement, so that none is contracted. */
static inline float add_element(const byoc_average_pool_s8_t* p, float sum, int32_t x) {
  const float real = (float)(x - p->in_zero) * p->in_scale;
  return sum + real;
}

static BYOC_IN result(const byoc_average_pool_s8_t* p, float sum, int32_t inside) {
  const float mean = sum / (float)(p->divisor ? p->divisor : inside);
  return (BYOC_IN)(byoc_clamp(byoc_round_even(mean / p->out_scale), p->min - p->zero, p->max - p->zero) + p->zero);
}
#else
typedef int32_t byoc_sum_t;

static inline int32_t add_element(const byoc_average_pool_s8_t* p, int32_t sum, int32_t x) {
  (void)p;
  return sum + x;
}

static BYOC_IN result(const byoc_average_pool_s8_t* p, int32_t sum, int32_t inside) {
  const int32_t mean = (sum > 0 ? sum + inside / 2 : sum - inside / 2) / inside;
  return (BYOC_IN)byoc_clamp(mean, p->min, p->max);
}
#endif

static void pixel(const byoc_average_pool_s8_t* p, const BYOC_IN* in, int32_t oy, int32_t ox, BYOC_IN* out) {
  const int32_t top = oy * p->stride_h - p->pad_top, left = ox * p->stride_w - p->pad_left;
  const int32_t y0 = top < 0 ? 0 : top, y1 = top + p->kernel_h < p->in_h ? top + p->kernel_h : p->in_h;
  const int32_t x0 = left < 0 ? 0 : left, x1 = left + p->kernel_w < p->in_w ? left + p->kernel_w : p->in_w;
  const int32_t inside = (y1 - y0) * (x1 - x0);
  int32_t c, y, x;
  for (c = 0; c < p->channels; ++c, out += p->out_chan) {
    const BYOC_IN* row = in + c * p->in_chan + y0 * p->in_row + x0 * p->in_col;
    byoc_sum_t sum = 0;
    for (y = y0; y < y1; ++y, row += p->in_row)
      for (x = 0; x < x1 - x0; ++x) sum = add_element(p, sum, row[x * p->in_col]);
    *out = result(p, sum, inside);
  }
}

void BYOC_SYMBOL(const byoc_average_pool_s8_t* p, const void* in, void* out) {
  const BYOC_IN* x = (const BYOC_IN*)in;
  BYOC_IN* y = (BYOC_IN*)out;
  int32_t b, oy, ox;
  for (b = 0; b < p->batch; ++b, x += p->in_batch, y += p->out_batch)
    for (oy = 0; oy < p->out_h; ++oy)
      for (ox = 0; ox < p->out_w; ++ox) pixel(p, x, oy, ox, y + oy * p->out_row + ox * p->out_col);
}
