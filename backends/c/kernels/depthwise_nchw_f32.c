#include "byoc_depthwise_f32.h"
#include "byoc_taps.h"

/* One output pixel of a plane. */
static inline float pixel(const byoc_depthwise_f32_t* p, const float* x, const float* w, float bias, byoc_taps_t tz,
                          byoc_taps_t ty, byoc_taps_t tx) {
  float sum = bias;
  int32_t kz, ky, kx;
  for (kz = tz.first; kz < tz.last; ++kz) {
    for (ky = ty.first; ky < ty.last; ++ky) {
      const ptrdiff_t line = (ptrdiff_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1];
      const float* from = x + line * p->in[2] + tx.start + tx.first * p->dilation[2];
      const float* weight = w + (ptrdiff_t)(kz * p->kernel[1] + ky) * p->kernel[2];
      for (kx = tx.first; kx < tx.last; ++kx, from += p->dilation[2]) sum += weight[kx] * *from;
    }
  }
  return byoc_clamp_f32(sum, p->bounds);
}

BYOC_DEPTHWISE_F32(BYOC_SYMBOL) {
  const ptrdiff_t in_size = (ptrdiff_t)p->in[0] * p->in[1] * p->in[2];
  const int32_t kernel_size = p->kernel[0] * p->kernel[1] * p->kernel[2];
  int32_t n, c, oz, oy, ox;
  for (n = 0; n < p->batch; ++n) {
    for (c = 0; c < p->channels; ++c, x += in_size) {
      for (oz = 0; oz < p->out[0]; ++oz) {
        const byoc_taps_t tz = BYOC_TAPS(p, 0, oz);
        for (oy = 0; oy < p->out[1]; ++oy) {
          const byoc_taps_t ty = BYOC_TAPS(p, 1, oy);
          for (ox = 0; ox < p->out[2]; ++ox)
            *y++ = pixel(p, x, w + (ptrdiff_t)c * kernel_size, bias[c], tz, ty, BYOC_TAPS(p, 2, ox));
        }
      }
    }
  }
}
