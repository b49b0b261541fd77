/* BYOC_X: see byoc_element.h. */
#include "byoc_conv_any.h"
#include "byoc_element.h"

/* One pixel, zero outside of the image. */
static inline BYOC_T at(const byoc_conv_any_t* p, const BYOC_X* image, int32_t y, int32_t x) {
  if (y < 0 || y >= p->in[1] || x < 0 || x >= p->in[2]) return 0;
  return BYOC_X_LOAD(image[(byoc_offset_t)y * p->in[2] + x]);
}

/* A place between pixels. */
static inline BYOC_T between(const byoc_conv_any_t* p, const BYOC_X* image, BYOC_T y, BYOC_T x) {
  if (!(y > -1 && y < (BYOC_T)p->in[1] && x > -1 && x < (BYOC_T)p->in[2])) return 0;
  {
    const BYOC_T top = BYOC_F(floor)(y), left = BYOC_F(floor)(x);
    const int32_t iy = (int32_t)top, ix = (int32_t)left;
    const BYOC_T dy = y - top, dx = x - left;
    return (1 - dy) * ((1 - dx) * at(p, image, iy, ix) + dx * at(p, image, iy, ix + 1)) +
           dy * ((1 - dx) * at(p, image, iy + 1, ix) + dx * at(p, image, iy + 1, ix + 1));
  }
}

BYOC_DEFORM_CONV(BYOC_SYMBOL, BYOC_X) {
  const byoc_conv_any_t* p = &d->conv;
  const byoc_offset_t area = (byoc_offset_t)p->out[1] * p->out[2];
  const int32_t taps = p->kernel[1] * p->kernel[2];
  const int32_t channels_moved_alike = p->groups * p->in_channels / d->offset_groups;
  int32_t n, o, i, oy, ox, ky, kx;
  for (n = 0; n < p->batch; ++n)
    for (o = 0; o < p->groups * p->out_channels; ++o) {
      const int32_t first = o / p->out_channels * p->in_channels;
      for (oy = 0; oy < p->out[1]; ++oy)
        for (ox = 0; ox < p->out[2]; ++ox, ++y) {
          const byoc_offset_t pixel = (byoc_offset_t)oy * p->out[2] + ox;
          const BYOC_X* weight = w + (byoc_offset_t)o * p->w_out;
          BYOC_T sum = bias ? (BYOC_T)BYOC_X_LOAD(bias[o]) : 0;
          for (i = first; i < first + p->in_channels; ++i) {
            const BYOC_X* image = x + (byoc_offset_t)n * p->x_batch + (byoc_offset_t)i * p->x_channel;
            const byoc_offset_t moved = ((byoc_offset_t)n * d->offset_groups + i / channels_moved_alike) * taps;
            const BYOC_X* move = offset + 2 * moved * area + pixel;
            const BYOC_X* part = mask ? mask + moved * area + pixel : NULL;
            for (ky = 0; ky < p->kernel[1]; ++ky)
              for (kx = 0; kx < p->kernel[2]; ++kx, move += 2 * area) {
                const int32_t ty = oy * p->stride[1] - p->pad[1] + ky * p->dilation[1];
                const int32_t tx = ox * p->stride[2] - p->pad[2] + kx * p->dilation[2];
                BYOC_T v = between(p, image, (BYOC_T)ty + BYOC_X_LOAD(move[0]), (BYOC_T)tx + BYOC_X_LOAD(move[area]));
                if (part) {
                  v *= BYOC_X_LOAD(*part);
                  part += area;
                }
                sum += v * BYOC_X_LOAD(*weight++);
              }
          }
          *y = BYOC_X_STORE(sum);
        }
    }
}
