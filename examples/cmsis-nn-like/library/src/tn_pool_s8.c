/* Both pools in one file, as it is often found. */
#include "tn_support.h"

typedef struct {
  int32_t most, sum, count;
} tn_seen;

static tn_seen look(const tn_layer* p, const int8_t* in, int32_t b, int32_t oy, int32_t ox, int32_t c) {
  const tn_window* w = &p->window;
  tn_seen s = {-128, 0, 0};
  for (int32_t ky = 0; ky < w->height; ++ky)
    for (int32_t kx = 0; kx < w->width; ++kx) {
      const int32_t y = oy * w->stride_y - w->pad_top + ky * w->dilation_y;
      const int32_t x = ox * w->stride_x - w->pad_left + kx * w->dilation_x;
      if (y < 0 || y >= p->in.height || x < 0 || x >= p->in.width) continue;
      const int32_t v = tn_pixel(&p->in, in, b, y, x)[c];
      s.most = v > s.most ? v : s.most;
      s.sum += v;
      ++s.count;
    }
  return s;
}

void tn_max_pool_s8(const tn_layer* p, const int8_t* in, int8_t* out) {
  for (int32_t b = 0; b < p->out.batch; ++b)
    for (int32_t y = 0; y < p->out.height; ++y)
      for (int32_t x = 0; x < p->out.width; ++x)
        for (int32_t c = 0; c < p->out.channels; ++c)
          *out++ = (int8_t)tn_clamp(look(p, in, b, y, x, c).most, p->low, p->high);
}

void tn_average_pool_s8(const tn_layer* p, const int8_t* in, int8_t* out) {
  for (int32_t b = 0; b < p->out.batch; ++b)
    for (int32_t y = 0; y < p->out.height; ++y)
      for (int32_t x = 0; x < p->out.width; ++x)
        for (int32_t c = 0; c < p->out.channels; ++c) {
          const tn_seen s = look(p, in, b, y, x, c);
          const int32_t half = s.sum > 0 ? s.count / 2 : -(s.count / 2);
          *out++ = (int8_t)tn_clamp(s.count ? (s.sum + half) / s.count : 0, p->low, p->high);
        }
}
