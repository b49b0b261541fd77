/* BYOC_X: see byoc_element.h. */
#include "byoc_conv_any.h"
#include "byoc_element.h"

/* Taps first, first + tap_step ... read the input at start, start - back ... */
typedef struct {
  int32_t first, start;
} meeting_t;

static inline meeting_t meeting(const byoc_conv_any_t* p, int32_t d, int32_t out) {
  meeting_t m = {0, 0};
  for (m.first = 0; m.first < p->kernel[d]; ++m.first) {
    const int32_t at = out + p->pad[d] - m.first * p->dilation[d];
    if (at % p->stride[d] != 0) continue;
    m.start = at / p->stride[d];
    break;
  }
  return m;
}

static inline BYOC_T pixel(const byoc_conv_transpose_t* t, const BYOC_X* x, const BYOC_X* w, meeting_t mz, meeting_t my,
                           meeting_t mx) {
  const byoc_conv_any_t* p = &t->conv;
  BYOC_T sum = 0;
  int32_t c, kz, ky, kx, iz, iy, ix;
  for (c = 0; c < p->in_channels; ++c, x += p->x_channel, w += p->w_in)
    for (kz = mz.first, iz = mz.start; kz < p->kernel[0]; kz += t->tap_step[0], iz -= t->back[0]) {
      if (iz < 0 || iz >= p->in[0]) continue;
      for (ky = my.first, iy = my.start; ky < p->kernel[1]; ky += t->tap_step[1], iy -= t->back[1]) {
        const BYOC_X* row = x + (ptrdiff_t)iz * p->x_step[0] + (ptrdiff_t)iy * p->x_step[1];
        const BYOC_X* taps = w + (ptrdiff_t)kz * p->w_step[0] + (ptrdiff_t)ky * p->w_step[1];
        if (iy < 0 || iy >= p->in[1]) continue;
        for (kx = mx.first, ix = mx.start; kx < p->kernel[2]; kx += t->tap_step[2], ix -= t->back[2])
          if (ix >= 0 && ix < p->in[2])
            sum += BYOC_X_LOAD(row[(ptrdiff_t)ix * p->x_step[2]]) * BYOC_X_LOAD(taps[(ptrdiff_t)kx * p->w_step[2]]);
      }
    }
  return sum;
}

BYOC_CONV_TRANSPOSE(BYOC_SYMBOL, BYOC_X, BYOC_T) {
  const byoc_conv_any_t* p = &t->conv;
  int32_t n, o, oz, oy, phase, ox;
  for (n = 0; n < p->batch; ++n)
    for (o = 0; o < p->groups * p->out_channels; ++o) {
      const int32_t group = o / p->out_channels;
      const BYOC_X* image = x + (ptrdiff_t)n * p->x_batch + (ptrdiff_t)group * p->in_channels * p->x_channel;
      const BYOC_X* filter =
          w + (ptrdiff_t)group * p->in_channels * p->w_in + (ptrdiff_t)(o - group * p->out_channels) * p->w_out;
      const BYOC_T shift = bias ? (BYOC_T)BYOC_X_LOAD(bias[o]) : 0;
      for (oz = 0; oz < p->out[0]; ++oz) {
        const meeting_t mz = meeting(p, 0, oz);
        for (oy = 0; oy < p->out[1]; ++oy) {
          const meeting_t my = meeting(p, 1, oy);
          BYOC_X* to = y + (ptrdiff_t)n * p->y_batch + (ptrdiff_t)o * p->y_channel + (ptrdiff_t)oz * p->y_step[0] +
                       (ptrdiff_t)oy * p->y_step[1];
          /* Outputs that are a stride apart meet the same taps. */
          for (phase = 0; phase < p->stride[2] && phase < p->out[2]; ++phase) {
            meeting_t mx = meeting(p, 2, phase);
            for (ox = phase; ox < p->out[2]; ox += p->stride[2], ++mx.start) {
              BYOC_T v = pixel(t, image, filter, mz, my, mx) + shift;
              v = v < least ? least : v > most ? most : v;
              to[(ptrdiff_t)ox * p->y_step[2]] = BYOC_X_STORE(v);
            }
          }
        }
      }
    }
}
