/*
 * int8 convolution for any core: two pixels by two channels at a time.
 *
 * Weights of a group: channels in pairs, [pair][patch element][2]; an odd last channel is paired with zeros.
 * Workspace: two patches, unless patches lie in the image as they are (1x1).
 */
#include "byoc_kernel.h"
#include "byoc_patch_s8.h"

/* acc[0..1]: x0 with the two channels, acc[2..3]: x1. */
static inline void two_by_two(const int8_t* w, const int8_t* x0, const int8_t* x1, int32_t n, uint32_t* acc) {
  int32_t a0 = (int32_t)acc[0], a1 = (int32_t)acc[1], a2 = a0, a3 = a1, k;
  for (k = 0; k < n; ++k, w += 2) {
    int32_t w0 = w[0], w1 = w[1], p0 = x0[k], p1 = x1[k];
    a0 = (int32_t)((uint32_t)a0 + (uint32_t)(w0 * p0));
    a1 = (int32_t)((uint32_t)a1 + (uint32_t)(w1 * p0));
    a2 = (int32_t)((uint32_t)a2 + (uint32_t)(w0 * p1));
    a3 = (int32_t)((uint32_t)a3 + (uint32_t)(w1 * p1));
  }
  acc[0] = (uint32_t)a0;
  acc[1] = (uint32_t)a1;
  acc[2] = (uint32_t)a2;
  acc[3] = (uint32_t)a3;
}

/* All channels of a group for two pixels; y1 is null where there is only one. */
static void pixels(const byoc_conv_s8_t* p, int32_t first, const int8_t* x0, const int8_t* x1, int8_t* y0, int8_t* y1) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c;
  const int8_t* w = p->weights + (size_t)(first / p->out_c) * (size_t)((p->out_c + 1) / 2 * 2) * (size_t)n;
  int32_t c;
  for (c = 0; c < p->out_c; c += 2, w += 2 * n) {
    const int32_t two = c + 1 < p->out_c;
    const int32_t at = first + c;
    uint32_t acc[4];
    acc[0] = (uint32_t)p->requant.bias[at];
    acc[1] = (uint32_t)p->requant.bias[at + two];
    two_by_two(w, x0, x1, n, acc);
    y0[c * p->out_chan] = byoc_requantise(&p->requant, at, acc[0]);
    if (two) y0[(c + 1) * p->out_chan] = byoc_requantise(&p->requant, at + 1, acc[1]);
    if (!y1) continue;
    y1[c * p->out_chan] = byoc_requantise(&p->requant, at, acc[2]);
    if (two) y1[(c + 1) * p->out_chan] = byoc_requantise(&p->requant, at + 1, acc[3]);
  }
}

static void image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* patches) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c;
  const int in_place = byoc_patch_in_place(p);
  const int8_t* x[2] = {patches, in_place ? patches : patches + n};
  int8_t* y[2];
  int32_t oy, ox, held = 0;
  for (oy = 0; oy < p->out_h; ++oy) {
    for (ox = 0; ox < p->out_w; ++ox) {
      if (in_place) {
        x[held] = in + oy * p->stride_h * p->in_row + ox * p->stride_w * p->in_col;
      } else {
        byoc_gather_s8(p, in, oy, ox, patches + held * n);
      }
      y[held] = out + oy * p->out_row + ox * p->out_col;
      if (++held < 2) continue;
      pixels(p, first, x[0], x[1], y[0], y[1]);
      held = 0;
    }
  }
  if (held) pixels(p, first, x[0], x[0], y[0], NULL);
}

void BYOC_SYMBOL(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, void* workspace) {
  int32_t b, g;
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (g = 0; g < p->groups; ++g)
      image(p, in + g * p->in_c * p->in_chan, out + g * p->out_c * p->out_chan, g * p->out_c, (int8_t*)workspace);
}
