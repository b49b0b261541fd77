/*
 * int8 convolution for any core: two pixels by two channels at a time.
 *
 * Weights: [output channel][patch element], as they are; with BYOC_WEIGHT_BITS of 4 or 2 each channel begins at a byte.
 * Workspace: two patches, unless patches lie in the image as they are (1x1) and results are not written over it.
 */
#include "byoc_channel.h"
#include "byoc_kernel.h"
#include "byoc_patch_s8.h"
#include "byoc_weight.h"
#if BYOC_WEIGHT_BITS == 8
#include "byoc_dot_s8.h"
#else
#include "byoc_dot_packed.h"
#endif

/* All channels of a group for two pixels; y1 is null where there is only one. */
static void pixels(const byoc_conv_s8_t* p, int32_t first, const int8_t* x0, const int8_t* x1, int8_t* y0, int8_t* y1) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c, end = first + p->out_c, out_chan = p->out_chan;
  const int32_t row = BYOC_WEIGHT_BYTES(n);
  const int8_t* w = p->weights + (size_t)first * (size_t)row;
  int32_t c;
  for (c = first; c < end; c += 2, w += 2 * row) {
    const int32_t two = c + 1 < end;
    byoc_channel_t channel = byoc_channel(&r, c);
    uint32_t acc[4];
    acc[0] = acc[2] = (uint32_t)r.bias[c];
    acc[1] = acc[3] = (uint32_t)r.bias[c + two];
    byoc_dot_2x2(w, two ? w + row : w, x0, x1, n, acc);
    *y0 = byoc_result(&r, channel, c, acc[0]);
    y0 += out_chan;
    if (y1) {
      *y1 = byoc_result(&r, channel, c, acc[2]);
      y1 += out_chan;
    }
    if (!two) break;
    channel = byoc_channel(&r, c + 1);
    *y0 = byoc_result(&r, channel, c + 1, acc[1]);
    y0 += out_chan;
    if (y1) {
      *y1 = byoc_result(&r, channel, c + 1, acc[3]);
      y1 += out_chan;
    }
  }
}

static void image(const byoc_conv_s8_t* p, const int8_t* in, int8_t* out, int32_t first, int8_t* patches) {
  const int32_t n = p->kernel_h * p->kernel_w * p->in_c;
  const int in_place = byoc_patch_in_place(p) && !byoc_overwrites(p, in, out);
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
  int8_t* const start = out;
  int32_t b, g;
  for (b = 0; b < p->batch; ++b, in += p->in_batch, out += p->out_batch)
    for (g = 0; g < p->groups; ++g)
      image(p, in + g * p->in_c * p->in_chan, out + g * p->out_c * p->out_chan, g * p->out_c, (int8_t*)workspace);
  byoc_finish(&p->requant, start, p->batch * p->out_batch);
}
