/* Patches of an int8 image with the DSP extension, widened to int16: BYOC_PIXELS of them, which a kernel defines,
   interleaved as [depth / 4][2][pixel] words. The first word of a pixel is its elements 0 and 2 of the four, the second
   1 and 3, as SXTB16 makes them. */
#ifndef BYOC_PATCH_DSP_H
#define BYOC_PATCH_DSP_H

#include "byoc_dsp.h"
#include "byoc_patch_s8.h"

static BYOC_NOINLINE uint32_t* byoc_widen(const int8_t* from, int32_t steps, uint32_t* to) {
  for (; steps > 0; --steps, from += 4, to += 2 * BYOC_PIXELS) {
    uint32_t x;
    memcpy(&x, from, sizeof x);
    to[0] = byoc_sxtb16(x);
    to[BYOC_PIXELS] = byoc_sxtb16_odd(x);
  }
  return to;
}

static BYOC_NOINLINE uint32_t* byoc_fill_wide(uint32_t pair, int32_t steps, uint32_t* to) {
  BYOC_ROLLED
  for (; steps > 0; --steps, to += 2 * BYOC_PIXELS) to[0] = to[BYOC_PIXELS] = pair;
  return to;
}

/* A patch whose taps are whole steps, from the image itself. */
static void byoc_gather_wide(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, uint32_t* to) {
  const uint32_t zero = byoc_pack(p->in_zero, p->in_zero);
  const int32_t steps = p->in_c >> 2, left = ox * p->stride_w - p->pad_left;
  const int32_t row_at_once = p->dilation_w == 1 && p->in_col == p->in_c && left >= 0 && left + p->kernel_w <= p->in_w;
  int32_t ky, kx, y = oy * p->stride_h - p->pad_top;
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    if (y < 0 || y >= p->in_h) {
      to = byoc_fill_wide(zero, p->kernel_w * steps, to);
    } else if (row_at_once) {
      to = byoc_widen(in + y * p->in_row + left * p->in_col, p->kernel_w * steps, to);
    } else {
      int32_t x = left;
      for (kx = 0; kx < p->kernel_w; ++kx, x += p->dilation_w) {
        if (x < 0 || x >= p->in_w) {
          to = byoc_fill_wide(zero, steps, to);
        } else {
          to = byoc_widen(in + y * p->in_row + x * p->in_col, steps, to);
        }
      }
    }
  }
}

#endif
