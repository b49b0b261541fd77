/*
 * Convolution of any 8-bit operands for any core, tap by tap: int8 or uint8 input (BYOC_IN) and output, weights with
 * zero points. Weights: [output channel][kernel_h][kernel_w][input channel of the group].
 */
#include "byoc_conv_q8.h"
#include "byoc_kernel.h"

/* What one tap adds: the channels of a group at one pixel. */
static uint32_t tap(const byoc_conv_s8_t* p, const BYOC_IN* x, const int8_t* w, int32_t weight_zero, uint32_t acc) {
  int32_t c;
  for (c = 0; c < p->in_c; ++c, x += p->in_chan) acc += (uint32_t)((w[c] - weight_zero) * (*x - p->in_zero));
  return acc;
}

/* One result: taps outside the image add nothing. */
static int8_t result(const byoc_conv_s8_t* p, const BYOC_IN* in, int32_t oy, int32_t ox, int32_t channel,
                     int32_t weight_zero) {
  const int8_t* w = p->weights + (ptrdiff_t)channel * p->kernel_h * p->kernel_w * p->in_c;
  uint32_t acc = (uint32_t)p->requant.bias[channel];
  int32_t ky, kx, y = oy * p->stride_h - p->pad_top;
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    int32_t x = ox * p->stride_w - p->pad_left;
    for (kx = 0; kx < p->kernel_w; ++kx, x += p->dilation_w, w += p->in_c) {
      if (y < 0 || y >= p->in_h || x < 0 || x >= p->in_w) continue;
      acc = tap(p, in + (ptrdiff_t)y * p->in_row + (ptrdiff_t)x * p->in_col, w, weight_zero, acc);
    }
  }
  return byoc_requantise(&p->requant, channel, acc);
}

void BYOC_SYMBOL(const byoc_conv_q8_t* q, const void* in, void* out) {
  const byoc_conv_s8_t* p = &q->conv;
  int32_t b, channel, oy, ox;
  for (b = 0; b < p->batch; ++b) {
    for (channel = 0; channel < p->groups * p->out_c; ++channel) {
      const BYOC_IN* x = (const BYOC_IN*)in + (ptrdiff_t)b * p->in_batch;
      int8_t* y = (int8_t*)out + (ptrdiff_t)b * p->out_batch + (ptrdiff_t)channel * p->out_chan;
      const int32_t weight_zero = q->weight_zero ? q->weight_zero[channel] : 0;
      x += (ptrdiff_t)(channel / p->out_c) * p->in_c * p->in_chan;
      for (oy = 0; oy < p->out_h; ++oy)
        for (ox = 0; ox < p->out_w; ++ox)
          y[oy * p->out_row + ox * p->out_col] = result(p, x, oy, ox, channel, weight_zero);
    }
  }
}
