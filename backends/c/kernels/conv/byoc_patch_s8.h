/* Gathers patches of an int8 image. */
#ifndef BYOC_PATCH_S8_H
#define BYOC_PATCH_S8_H

#include "byoc_conv_s8.h"

/* One patch in the order row, column, channel: p->kernel_h * p->kernel_w * p->in_c bytes. */
static inline void byoc_gather_s8(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* patch) {
  const int32_t left = ox * p->stride_w - p->pad_left;
  int32_t ky, kx, c, y = oy * p->stride_h - p->pad_top;
  /* The taps of a row lie next to each other. */
  const int32_t joined = p->dilation_w == 1 && p->in_chan == 1 && p->in_col == p->in_c;
  const int32_t before = left < 0 ? -left : 0;
  const int32_t beyond = left + p->kernel_w - p->in_w > 0 ? left + p->kernel_w - p->in_w : 0;
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    if (y < 0 || y >= p->in_h) {
      memset(patch, (int)p->in_zero, (size_t)(p->kernel_w * p->in_c));
      patch += p->kernel_w * p->in_c;
    } else if (joined && before + beyond < p->kernel_w) {
      const int8_t* from = in + y * p->in_row + (left + before) * p->in_c;
      c = before * p->in_c;
      if (c > 0) memset(patch, (int)p->in_zero, (size_t)c);
      patch += c;
      c = (p->kernel_w - before - beyond) * p->in_c;
      memcpy(patch, from, (size_t)c);
      patch += c;
      c = beyond * p->in_c;
      if (c > 0) memset(patch, (int)p->in_zero, (size_t)c);
      patch += c;
    } else {
      int32_t x = left;
      for (kx = 0; kx < p->kernel_w; ++kx, x += p->dilation_w) {
        const int32_t outside = x < 0 || x >= p->in_w;
        const int8_t* from = in + (outside ? 0 : y * p->in_row + x * p->in_col);
        for (c = 0; c < p->in_c; ++c, from += p->in_chan) *patch++ = outside ? (int8_t)p->in_zero : *from;
      }
    }
  }
}

/* True if a patch lies in the image as it is. */
static inline int byoc_patch_in_place(const byoc_conv_s8_t* p) {
  return p->kernel_h == 1 && p->kernel_w == 1 && p->in_chan == 1 && p->pad_top == 0 && p->pad_left == 0 &&
         (p->out_h - 1) * p->stride_h < p->in_h && (p->out_w - 1) * p->stride_w < p->in_w;
}

/* True if the results of an image are written over its own elements: they start there or before, and reach them. Of
   several groups only those that are as large before as after are. */
static inline int byoc_overwrites(const byoc_conv_s8_t* p, const int8_t* in, const int8_t* out) {
  return (p->groups == 1 || p->in_c == p->out_c) && (uintptr_t)in - (uintptr_t)out < (uintptr_t)p->out_batch;
}

#endif
