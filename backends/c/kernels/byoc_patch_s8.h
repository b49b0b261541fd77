/* Gathers patches of an int8 image. */
#ifndef BYOC_PATCH_S8_H
#define BYOC_PATCH_S8_H

#include "byoc_conv_s8.h"

/* One patch in the order row, column, channel: p->kernel_h * p->kernel_w * p->in_c bytes. */
static inline void byoc_gather_s8(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* patch) {
  int32_t ky, kx, c, y = oy * p->stride_h - p->pad_top;
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    int32_t x = ox * p->stride_w - p->pad_left;
    for (kx = 0; kx < p->kernel_w; ++kx, x += p->dilation_w, patch += p->in_c) {
      if (y < 0 || y >= p->in_h || x < 0 || x >= p->in_w) {
        memset(patch, p->in_zero, (size_t)p->in_c);
      } else if (p->in_chan == 1) {
        memcpy(patch, in + y * p->in_row + x * p->in_col, (size_t)p->in_c);
      } else {
        const int8_t* from = in + y * p->in_row + x * p->in_col;
        for (c = 0; c < p->in_c; ++c, from += p->in_chan) patch[c] = *from;
      }
    }
  }
}

/* True if a patch lies in the image as it is. */
static inline int byoc_patch_in_place(const byoc_conv_s8_t* p) {
  return p->kernel_h == 1 && p->kernel_w == 1 && p->in_chan == 1 && p->pad_top == 0 && p->pad_left == 0 &&
         (p->out_h - 1) * p->stride_h < p->in_h && (p->out_w - 1) * p->stride_w < p->in_w;
}

#endif
