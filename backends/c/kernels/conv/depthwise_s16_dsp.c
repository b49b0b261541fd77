/*
 * int16 depthwise convolution with int8 weights and the DSP extension, pixel by pixel, from the image as it lies: four
 * channels at a time through all taps.
 *
 * One output channel for each input channel, their number a multiple of 4, channels next to each other in both images.
 * Weights: [four channels][tap][channel], every four as 0, 2, 1, 3; 4-byte aligned.
 * Workspace: a pointer for each tap, then a pixel of zeros.
 */
#include "byoc_conv_s16.h"
#include "byoc_dsp.h"
#include "byoc_taps_s16.h"

/* Two int16 at any address of one. */
typedef uint32_t __attribute__((may_alias, aligned(2))) elements_t;

static inline int16_t result(const byoc_requant_t* r, int32_t channel, int32_t sum) {
  return (int16_t)byoc_clamp(byoc_smmulr(sum, ((const int32_t*)r->scale)[channel]), r->min, r->max);
}

static BYOC_NOINLINE void pixel(const byoc_conv_s8_t* p, const int16_t* const* taps, int32_t count, int16_t* y) {
  const byoc_requant_t r = p->requant;
  const byoc_pair_t* w = (const byoc_pair_t*)p->weights;
  int32_t first, i;
  for (first = 0; first < p->in_c; first += 4, y += 4) {
    int32_t a = r.bias[first], b = r.bias[first + 1], c = r.bias[first + 2], d = r.bias[first + 3];
    BYOC_ROLLED
    for (i = 0; i < count; ++i) {
      const elements_t* x = (const elements_t*)(taps[i] + first);
      const uint32_t v = *w++, low = byoc_sxtb16(v), high = byoc_sxtb16_odd(v), x0 = x[0], x1 = x[1];
      a = byoc_smlabb(x0, low, a);
      b = byoc_smlatt(x0, low, b);
      c = byoc_smlabb(x1, high, c);
      d = byoc_smlatt(x1, high, d);
    }
    y[0] = result(&r, first, a);
    y[1] = result(&r, first + 1, b);
    y[2] = result(&r, first + 2, c);
    y[3] = result(&r, first + 3, d);
  }
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int16_t* in, int16_t* out, void* workspace) {
  const int16_t** const taps = (const int16_t**)workspace;
  const int32_t count = p->kernel_h * p->kernel_w;
  int16_t* const zeros = (int16_t*)(taps + count);
  int32_t b, oy, ox;
  memset(zeros, 0, 2 * (size_t)p->in_c);
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (oy = 0; oy < p->out_h; ++oy)
      for (ox = 0; ox < p->out_w; ++ox) {
        byoc_find_taps_s16(p, in, oy, ox, zeros, taps);
        pixel(p, taps, count, out + oy * p->out_row + ox * p->out_col);
      }
}
