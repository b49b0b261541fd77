/* BYOC_X: see byoc_element.h; BYOC_WEIGHT. */
#include "byoc_sample.h"

#include "byoc_element.h"

typedef BYOC_WEIGHT real_t;

static inline int32_t edge(real_t v) {
  const real_t at = BYOC_F(round)(v);
  return at > BYOC_C(-1e9) && at < BYOC_C(1e9) ? (int32_t)at : 0;
}

/* Where bin `i` of `bins` over `size` elements from `start` begins (up 0) or ends (up 1), inside `limit` elements. */
static inline int32_t border(int32_t i, int up, int32_t size, int32_t bins, int32_t start, int32_t limit) {
  const real_t v = (real_t)(i + up) * ((real_t)size / (real_t)bins);
  const int32_t at = (int32_t)(up ? BYOC_F(ceil)(v) : BYOC_F(floor)(v)) + start;
  return at < 0 ? 0 : at > limit ? limit : at;
}

BYOC_MAX_ROI_POOL(BYOC_SYMBOL, BYOC_X, BYOC_WEIGHT) {
  const byoc_offset_t plane = (byoc_offset_t)p->height * p->width;
  int32_t r, c, ph, pw, i, j;
  for (r = 0; r < p->rois; ++r, rois += 5) {
    const real_t image = BYOC_X_LOAD(rois[0]);
    const int32_t left = edge(BYOC_X_LOAD(rois[1]) * scale), top = edge(BYOC_X_LOAD(rois[2]) * scale);
    int32_t width = edge(BYOC_X_LOAD(rois[3]) * scale) - left + 1;
    int32_t height = edge(BYOC_X_LOAD(rois[4]) * scale) - top + 1;
    if (!(image > BYOC_C(-1.0) && image < (real_t)p->batch)) return 1;
    width = width < 1 ? 1 : width;
    height = height < 1 ? 1 : height;
    for (c = 0; c < p->channels; ++c) {
      const BYOC_X* from = x + ((byoc_offset_t)(int32_t)image * p->channels + c) * plane;
      for (ph = 0; ph < p->out_height; ++ph) {
        const int32_t y0 = border(ph, 0, height, p->out_height, top, p->height);
        const int32_t y1 = border(ph, 1, height, p->out_height, top, p->height);
        for (pw = 0; pw < p->out_width; ++pw) {
          const int32_t x0 = border(pw, 0, width, p->out_width, left, p->width);
          const int32_t x1 = border(pw, 1, width, p->out_width, left, p->width);
          real_t most = 0;
          int first = 1;
          for (i = y0; i < y1; ++i) {
            for (j = x0; j < x1; ++j) {
              const real_t v = BYOC_X_LOAD(from[i * p->width + j]);
              most = first || v > most ? v : most;
              first = 0;
            }
          }
          *y++ = BYOC_X_STORE(most);
        }
      }
    }
  }
  return 0;
}
