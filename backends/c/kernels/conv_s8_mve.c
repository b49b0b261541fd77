/*
 * int8 convolution with MVE: four pixels by one channel at a time, 16 elements each.
 *
 * Weights: [output channel][patch element], as they are.
 * Workspace: four patches, unless patches lie in the image as they are (1x1).
 */
#include "byoc_mve.h"
#include "byoc_patch_s8.h"

/* All channels of a group for four pixels. Pixels that are not there repeat the first one. */
static void pixels(const byoc_conv_s8_t* p, int32_t first, const int8_t* const* x, byoc_quad_t offsets, int8_t* y) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, end = first + p->out_c, out_chan = p->out_chan;
  const int8_t* w = p->weights + (size_t)first * (size_t)n;
  int32_t c, i;
  for (c = first; c < end; ++c, w += n, y += out_chan) {
    const byoc_channel_mve_t channel = byoc_channel_mve(&r, c);
    int32_t bias[4];
    byoc_quad_t sums;
    bias[0] = bias[1] = bias[2] = bias[3] = r.bias[c];
    sums = byoc_dot_4(w, x, n, bias);
    if (channel.shift < 0) {
      byoc_store_quad(byoc_requantise_quad(sums, channel, r.zero), y, offsets);
    } else {
      for (i = 0; i < 4; ++i) y[offsets[i]] = (int8_t)byoc_requantise_any(&p->requant, c, sums[i]);
    }
  }
}

/* Like byoc_gather_s8, of channels that are next to each other. */
static void gather(const byoc_conv_s8_t* p, const int8_t* in, int32_t oy, int32_t ox, int8_t* patch) {
  const int32_t left = ox * p->stride_w - p->pad_left, row = p->kernel_w * p->in_c;
  const int32_t joined = p->dilation_w == 1 && p->in_col == p->in_c && left >= 0 && left + p->kernel_w <= p->in_w;
  int32_t ky, kx, y = oy * p->stride_h - p->pad_top;
  for (ky = 0; ky < p->kernel_h; ++ky, y += p->dilation_h) {
    if (y < 0 || y >= p->in_h) {
      byoc_fill_mve(patch, p->in_zero, row);
      patch += row;
    } else if (joined) {
      byoc_copy_mve(patch, in + y * p->in_row + left * p->in_col, row);
      patch += row;
    } else {
      int32_t x = left;
      for (kx = 0; kx < p->kernel_w; ++kx, x += p->dilation_w, patch += p->in_c) {
        if (x < 0 || x >= p->in_w) {
          byoc_fill_mve(patch, p->in_zero, p->in_c);
        } else {
          byoc_copy_mve(patch, in + y * p->in_row + x * p->in_col, p->in_c);
        }
      }
    }
  }
}

static void image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* patches) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, in_place = byoc_patch_in_place(p);
  const int8_t* x[4];
  byoc_quad_t offsets;
  int32_t oy, ox, i, held = 0;
  for (i = 0; i < 4; ++i) {
    x[i] = in_place ? in : patches + i * n;
    offsets[i] = i * p->out_col;
  }
  for (oy = 0; oy < p->out_h; ++oy) {
    for (ox = 0; ox < p->out_w; ++ox) {
      if (in_place) {
        x[held] = in + oy * p->stride_h * p->in_row + ox * p->stride_w * p->in_col;
      } else if (p->in_chan == 1) {
        gather(p, in, oy, ox, patches + held * n);
      } else {
        byoc_gather_s8(p, in, oy, ox, patches + held * n);
      }
      if (++held < 4) continue;
      pixels(p, first, x, offsets, out);
      out += 4 * p->out_col;
      held = 0;
    }
  }
  if (!held) return;
  for (i = held; i < 4; ++i) {
    x[i] = x[0];
    offsets[i] = 0;
  }
  pixels(p, first, x, offsets, out);
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  int8_t* start = out;
  int32_t b, g;
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (g = 0; g < p->groups; ++g)
      image(p, in + g * p->in_c * p->in_chan, out + g * p->out_c * p->out_chan, g * p->out_c, (int8_t*)workspace);
  byoc_narrow_mve(p->requant.min, p->requant.max, start, p->batch * p->out_batch);
}
