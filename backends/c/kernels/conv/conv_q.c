/*
 * Convolution of any quantised operands for any core, tap by tap. BYOC_IN, BYOC_OUT: element types of 8 or 16 bits;
 * BYOC_BIAS: of the bias; BYOC_SUM: uint32_t or uint64_t, in which sums wrap around like the reference's.
 */
#include "byoc_conv_q.h"
#include "byoc_kernel.h"
#include "byoc_weight.h"

/* Adds one tap: the channels of a group at one pixel, weights from w on. */
static inline BYOC_SUM tap(const byoc_conv_q_t* q, const BYOC_IN* x, const void* weights, byoc_offset_t w,
                           int32_t weight_zero, BYOC_SUM acc) {
  const byoc_conv_s8_t* p = &q->conv;
  int32_t c;
  if (p->in_chan == 1 && q->w_in == 1 && weight_zero == 0) {
    for (c = 0; c < p->in_c; ++c) acc += (BYOC_SUM)(byoc_weight(weights, w + c) * (x[c] - p->in_zero));
    return acc;
  }
  for (c = 0; c < p->in_c; ++c, x += p->in_chan, w += q->w_in)
    acc += (BYOC_SUM)((byoc_weight(weights, w) - weight_zero) * (*x - p->in_zero));
  return acc;
}

/* The sum of one result: taps outside the image add nothing. */
static BYOC_SUM window(const byoc_conv_q_t* q, const BYOC_IN* in, const void* weights, byoc_offset_t w,
                       int32_t weight_zero, int32_t oy, int32_t ox, BYOC_SUM acc) {
  const byoc_conv_s8_t* p = &q->conv;
  int32_t ky, kx, y = oy * p->stride_h - p->pad_top;
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    int32_t x = ox * p->stride_w - p->pad_left;
    for (kx = 0; kx < p->kernel_w; ++kx, x += p->dilation_w, w += q->w_tap) {
      if (y < 0 || y >= p->in_h || x < 0 || x >= p->in_w) continue;
      acc = tap(q, in + (byoc_offset_t)y * p->in_row + (byoc_offset_t)x * p->in_col, weights, w, weight_zero, acc);
    }
  }
  return acc;
}

/* Group by group, and of a group all results of a pixel together: those of another may lie over its elements. */
BYOC_CONV_Q(BYOC_SYMBOL) {
  const byoc_conv_s8_t* c = &p->conv;
  int32_t b, g, channel, oy, ox;
  for (b = 0; b < c->batch; ++b) {
    for (g = 0; g < c->groups; ++g) {
      const BYOC_IN* x = (const BYOC_IN*)in + (byoc_offset_t)b * c->in_batch + (byoc_offset_t)g * c->in_c * c->in_chan;
      BYOC_OUT* image = (BYOC_OUT*)out + (byoc_offset_t)b * c->out_batch;
      for (oy = 0; oy < c->out_h; ++oy)
        for (ox = 0; ox < c->out_w; ++ox)
          for (channel = g * c->out_c; channel < (g + 1) * c->out_c; ++channel) {
            const int32_t weight_zero = p->weight_zero ? p->weight_zero[channel] : 0;
            const BYOC_SUM start = bias ? (BYOC_SUM)((const BYOC_BIAS*)bias)[channel] : 0;
            image[(byoc_offset_t)oy * c->out_row + (byoc_offset_t)ox * c->out_col +
                  (byoc_offset_t)channel * c->out_chan] =
                (BYOC_OUT)BYOC_REQUANTISE_SUM(
                    &c->requant, channel,
                    window(p, x, weights, (byoc_offset_t)channel * p->w_out, weight_zero, oy, ox, start));
          }
    }
  }
}
