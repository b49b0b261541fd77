/*
 * Transposed convolution for any core: every result gathers the taps that reach it. BYOC_ELEMENT: the type of input and
 * result; BYOC_BIAS: of the bias; BYOC_SUM: uint32_t or uint64_t, in which sums wrap around; BYOC_WEIGHT_ZERO: the zero
 * point of the weights.
 */
#include "byoc_conv_transpose_q.h"

#ifndef BYOC_WEIGHT_ZERO
#define BYOC_WEIGHT_ZERO 0
#endif

/* Along one dim: taps `tap`, tap + stride ... read the input at `at`, at - 1 ... */
typedef struct {
  int32_t tap, at;
} meeting_t;

/* `before` results are cut off in front of result 0. Taps that would read beyond the input are left out. */
static inline meeting_t meeting(int32_t out, int32_t before, int32_t stride, int32_t in) {
  meeting_t m;
  int32_t beyond;
  m.at = (out + before) / stride;
  m.tap = out + before - m.at * stride;
  beyond = m.at - (in - 1);
  if (beyond > 0) {
    m.at -= beyond;
    m.tap += beyond * stride;
  }
  return m;
}

static inline BYOC_SUM dot(const BYOC_ELEMENT* x, const int8_t* w, int32_t n, int32_t zero, BYOC_SUM sum) {
  int32_t c;
  for (c = 0; c < n; ++c) sum += (BYOC_SUM)((w[c] - BYOC_WEIGHT_ZERO) * (x[c] - zero));
  return sum;
}

/* One channel of one result; w: its filter. */
static BYOC_SUM gather(const byoc_conv_transpose_q_t* p, const BYOC_ELEMENT* image, const int8_t* w, meeting_t down,
                       meeting_t across, BYOC_SUM sum) {
  const byoc_offset_t w_row = (byoc_offset_t)p->kernel_w * p->in_c, in_row = (byoc_offset_t)p->in_w * p->in_c;
  int32_t ky, kx, y, x;
  for (ky = down.tap, y = down.at; ky < p->kernel_h && y >= 0; ky += p->stride_h, --y)
    for (kx = across.tap, x = across.at; kx < p->kernel_w && x >= 0; kx += p->stride_w, --x)
      sum = dot(image + y * in_row + (byoc_offset_t)x * p->in_c, w + ky * w_row + (byoc_offset_t)kx * p->in_c, p->in_c,
                p->in_zero, sum);
  return sum;
}

BYOC_CONV_TRANSPOSE_Q(BYOC_SYMBOL, BYOC_ELEMENT, BYOC_BIAS) {
  const byoc_offset_t filter = (byoc_offset_t)p->kernel_h * p->kernel_w * p->in_c;
  int32_t b, oy, ox, o;
  for (b = 0; b < p->batch; ++b, in += (byoc_offset_t)p->in_h * p->in_w * p->in_c)
    for (oy = 0; oy < p->out_h; ++oy) {
      const meeting_t down = meeting(oy, p->pad_top, p->stride_h, p->in_h);
      for (ox = 0; ox < p->out_w; ++ox) {
        const meeting_t across = meeting(ox, p->pad_left, p->stride_w, p->in_w);
        const int8_t* w = weights;
        for (o = 0; o < p->out_c; ++o, w += filter) {
          const BYOC_SUM sum = gather(p, in, w, down, across, bias ? (BYOC_SUM)bias[o] : 0);
          *out++ = (BYOC_ELEMENT)BYOC_REQUANTISE_SUM(&p->requant, o, sum);
        }
      }
    }
}
