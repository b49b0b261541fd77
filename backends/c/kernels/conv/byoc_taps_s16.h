/* Where the taps of a window of an int16 image lie. */
#ifndef BYOC_TAPS_S16_H
#define BYOC_TAPS_S16_H

#include "byoc_conv_s8.h"

/* Finds the taps of the result at oy and ox; taps outside the image are at `zeros`. */
static void byoc_find_taps_s16(const byoc_conv_s8_t* p, const int16_t* in, int32_t oy, int32_t ox, const int16_t* zeros,
                               const int16_t** taps) {
  const int32_t left = ox * p->stride_w - p->pad_left, step = p->dilation_w, columns = p->in_w,
                aside = step * p->in_col;
  int32_t ky, kx, y = oy * p->stride_h - p->pad_top;
  in += (byoc_offset_t)y * p->in_row + (byoc_offset_t)left * p->in_col;
  BYOC_ROLLED
  for (ky = p->kernel_h; ky > 0; --ky, y += p->dilation_h, in += (byoc_offset_t)p->dilation_h * p->in_row) {
    const int16_t* at = in;
    int32_t x = (uint32_t)y < (uint32_t)p->in_h ? left : -p->kernel_w * step;
    BYOC_ROLLED
    for (kx = p->kernel_w; kx > 0; --kx, x += step, at += aside) *taps++ = (uint32_t)x < (uint32_t)columns ? at : zeros;
  }
}

#endif
