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

/* Outputs that are a stride apart meet the same taps, of inputs that are neighbours. */
#define STRIP 16

/* Adds one tap to the sums of `count` outputs: over all channels, the weight times each of its inputs. */
static inline void add_tap(const byoc_conv_any_t* p, const BYOC_X* BYOC_RESTRICT x, const BYOC_X* BYOC_RESTRICT w,
                           int32_t count, BYOC_T* BYOC_RESTRICT sums) {
  const byoc_offset_t channel = p->x_channel, step = p->x_step[2], w_step = p->w_in;
  int32_t c, i;
  for (c = p->in_channels; c > 0; --c, x += channel, w += w_step) {
    const BYOC_T factor = BYOC_X_LOAD(*w);
    if (step == 1 && count == STRIP)
      for (i = 0; i < STRIP; ++i) sums[i] += BYOC_X_LOAD(x[i]) * factor;
    else
      for (i = 0; i < count; ++i) sums[i] += BYOC_X_LOAD(x[i * step]) * factor;
  }
}

/* sums[0 .. count): of the first output, whose taps are mz, my, mx, and the next ones of its phase. */
static void strip(const byoc_conv_transpose_t* t, const BYOC_X* x, const BYOC_X* w, meeting_t mz, meeting_t my,
                  meeting_t mx, int32_t count, BYOC_T* sums) {
  const byoc_conv_any_t* p = &t->conv;
  int32_t i, kz, ky, kx, iz, iy, ix;
  for (i = 0; i < STRIP; ++i) sums[i] = 0;
  for (kz = mz.first, iz = mz.start; kz < p->kernel[0]; kz += t->tap_step[0], iz -= t->back[0]) {
    if (iz < 0 || iz >= p->in[0]) continue;
    for (ky = my.first, iy = my.start; ky < p->kernel[1]; ky += t->tap_step[1], iy -= t->back[1]) {
      const BYOC_X* row = x + (byoc_offset_t)iz * p->x_step[0] + (byoc_offset_t)iy * p->x_step[1];
      const BYOC_X* taps = w + (byoc_offset_t)kz * p->w_step[0] + (byoc_offset_t)ky * p->w_step[1];
      if (iy < 0 || iy >= p->in[1]) continue;
      for (kx = mx.first, ix = mx.start; kx < p->kernel[2]; kx += t->tap_step[2], ix -= t->back[2]) {
        const int32_t first = ix < 0 ? -ix : 0, last = p->in[2] - ix < count ? p->in[2] - ix : count;
        if (first < last)
          add_tap(p, row + (byoc_offset_t)(ix + first) * p->x_step[2], taps + (byoc_offset_t)kx * p->w_step[2],
                  last - first, sums + first);
      }
    }
  }
}

BYOC_CONV_TRANSPOSE(BYOC_SYMBOL, BYOC_X, BYOC_T) {
  const byoc_conv_any_t* p = &t->conv;
  int32_t n, o, oz, oy, phase, ox;
  for (n = 0; n < p->batch; ++n)
    for (o = 0; o < p->groups * p->out_channels; ++o) {
      const int32_t group = o / p->out_channels;
      const BYOC_X* image = x + (byoc_offset_t)n * p->x_batch + (byoc_offset_t)group * p->in_channels * p->x_channel;
      const BYOC_X* filter =
          w + (byoc_offset_t)group * p->in_channels * p->w_in + (byoc_offset_t)(o - group * p->out_channels) * p->w_out;
      const BYOC_T shift = bias ? (BYOC_T)BYOC_X_LOAD(bias[o]) : 0;
      for (oz = 0; oz < p->out[0]; ++oz) {
        const meeting_t mz = meeting(p, 0, oz);
        for (oy = 0; oy < p->out[1]; ++oy) {
          const meeting_t my = meeting(p, 1, oy);
          BYOC_X* to = y + (byoc_offset_t)n * p->y_batch + (byoc_offset_t)o * p->y_channel +
                       (byoc_offset_t)oz * p->y_step[0] + (byoc_offset_t)oy * p->y_step[1];
          for (phase = 0; phase < p->stride[2] && phase < p->out[2]; ++phase) {
            meeting_t mx = meeting(p, 2, phase);
            for (ox = phase; ox < p->out[2]; mx.start += STRIP) {
              BYOC_T sums[STRIP];
              const int32_t left = (p->out[2] - ox - 1) / p->stride[2] + 1, count = left < STRIP ? left : STRIP;
              int32_t i;
              strip(t, image, filter, mz, my, mx, count, sums);
              for (i = 0; i < count; ++i, ox += p->stride[2]) {
                BYOC_T v = sums[i] + shift;
                v = v < least ? least : v > most ? most : v;
                to[(byoc_offset_t)ox * p->y_step[2]] = BYOC_X_STORE(v);
              }
            }
          }
        }
      }
    }
}
