#include "tn_support.h"

static int32_t sum(const tn_layer* p, const int8_t* in, const int8_t* filter, int32_t b, int32_t oy, int32_t ox,
                   int32_t first, int32_t depth) {
  const tn_window* w = &p->window;
  int32_t total = 0;
  for (int32_t ky = 0; ky < w->height; ++ky) {
    const int32_t y = oy * w->stride_y - w->pad_top + ky * w->dilation_y;
    for (int32_t kx = 0; kx < w->width; ++kx, filter += depth) {
      const int32_t x = ox * w->stride_x - w->pad_left + kx * w->dilation_x;
      if (y < 0 || y >= p->in.height || x < 0 || x >= p->in.width) continue;
      const int8_t* pixel = tn_pixel(&p->in, in, b, y, x) + first;
      for (int32_t i = 0; i < depth; ++i) total += (pixel[i] - p->in_zero) * filter[i];
    }
  }
  return total;
}

void tn_convolve_s8(const tn_layer* p, const int8_t* in, const int8_t* filter, const int32_t* bias,
                    const tn_scale* scales, int8_t* out) {
  const int32_t depth = p->in.channels / p->groups, each = p->out.channels / p->groups;
  const int32_t taps = p->window.height * p->window.width * depth;
  for (int32_t b = 0; b < p->out.batch; ++b)
    for (int32_t y = 0; y < p->out.height; ++y)
      for (int32_t x = 0; x < p->out.width; ++x)
        for (int32_t c = 0; c < p->out.channels; ++c) {
          const int32_t total = bias[c] + sum(p, in, filter + (int64_t)c * taps, b, y, x, c / each * depth, depth);
          *out++ = (int8_t)tn_clamp(tn_scaled(total, scales[c]) + p->out_zero, p->low, p->high);
        }
}
