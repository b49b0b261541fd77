#include "byoc_depthwise_f32.h"
#include "byoc_taps.h"

#define BLOCK 4

/* One output pixel for BLOCK channels; x, w, bias and y are at the first of them. */
static inline void pixel_block(const byoc_depthwise_f32_t* p, const float* BYOC_RESTRICT x,
                               const float* BYOC_RESTRICT w, const float* BYOC_RESTRICT bias, byoc_taps_t tz,
                               byoc_taps_t ty, byoc_taps_t tx, float* BYOC_RESTRICT y) {
  const ptrdiff_t channels = p->channels, step = channels * p->dilation[2];
  float s0 = bias[0], s1 = bias[1], s2 = bias[2], s3 = bias[3];
  int32_t kz, ky, kx;
  for (kz = tz.first; kz < tz.last; ++kz) {
    for (ky = ty.first; ky < ty.last; ++ky) {
      const ptrdiff_t line = (ptrdiff_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1];
      const float* from = x + (line * p->in[2] + tx.start + tx.first * p->dilation[2]) * channels;
      const float* weight = w + ((ptrdiff_t)(kz * p->kernel[1] + ky) * p->kernel[2] + tx.first) * channels;
      for (kx = tx.first; kx < tx.last; ++kx, from += step, weight += channels) {
        s0 += weight[0] * from[0];
        s1 += weight[1] * from[1];
        s2 += weight[2] * from[2];
        s3 += weight[3] * from[3];
      }
    }
  }
  y[0] = byoc_clamp_f32(s0, p->bounds);
  y[1] = byoc_clamp_f32(s1, p->bounds);
  y[2] = byoc_clamp_f32(s2, p->bounds);
  y[3] = byoc_clamp_f32(s3, p->bounds);
}

static inline void pixel_channel(const byoc_depthwise_f32_t* p, const float* x, const float* w, float bias,
                                 byoc_taps_t tz, byoc_taps_t ty, byoc_taps_t tx, float* y) {
  const ptrdiff_t channels = p->channels, step = channels * p->dilation[2];
  float sum = bias;
  int32_t kz, ky, kx;
  for (kz = tz.first; kz < tz.last; ++kz) {
    for (ky = ty.first; ky < ty.last; ++ky) {
      const ptrdiff_t line = (ptrdiff_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1];
      const float* from = x + (line * p->in[2] + tx.start + tx.first * p->dilation[2]) * channels;
      const float* weight = w + ((ptrdiff_t)(kz * p->kernel[1] + ky) * p->kernel[2] + tx.first) * channels;
      for (kx = tx.first; kx < tx.last; ++kx, from += step, weight += channels) sum += *weight * *from;
    }
  }
  *y = byoc_clamp_f32(sum, p->bounds);
}

BYOC_DEPTHWISE_F32(BYOC_SYMBOL) {
  const int32_t channels = p->channels;
  const ptrdiff_t in_size = (ptrdiff_t)p->in[0] * p->in[1] * p->in[2] * channels;
  int32_t n, oz, oy, ox, c;
  for (n = 0; n < p->batch; ++n, x += in_size) {
    for (oz = 0; oz < p->out[0]; ++oz) {
      const byoc_taps_t tz = BYOC_TAPS(p, 0, oz);
      for (oy = 0; oy < p->out[1]; ++oy) {
        const byoc_taps_t ty = BYOC_TAPS(p, 1, oy);
        for (ox = 0; ox < p->out[2]; ++ox, y += channels) {
          const byoc_taps_t tx = BYOC_TAPS(p, 2, ox);
          for (c = 0; c + BLOCK <= channels; c += BLOCK) pixel_block(p, x + c, w + c, bias + c, tz, ty, tx, y + c);
          for (; c < channels; ++c) pixel_channel(p, x + c, w + c, bias[c], tz, ty, tx, y + c);
        }
      }
    }
  }
}
