/* BYOC_X: see byoc_element.h; BYOC_WEIGHT; BYOC_INDEX: the type of the image indices. */
#include "byoc_sample.h"

#include "byoc_element.h"

typedef BYOC_WEIGHT real_t;

/* Between elements low and high of n; what lies just outside counts for the edge. Returns the weight of high. */
static inline real_t between(real_t v, int32_t n, int32_t* low, int32_t* high) {
  v = v < 0 ? 0 : v;
  *low = (int32_t)v;
  *high = *low + 1;
  if (*low < n - 1) return v - (real_t)*low;
  *low = *high = n - 1;
  return 0;
}

typedef struct {
  real_t y, x, height, width; /* of the first bin */
  int32_t rows, columns;      /* samples in a bin */
} bins_t;

static inline int32_t samples(real_t size, int32_t ratio) {
  if (ratio > 0) return ratio;
  return size > 0 && size < BYOC_C(1e4) ? (int32_t)BYOC_F(ceil)(size) : 0;
}

static inline real_t bin(const byoc_roi_t* p, const bins_t* b, const BYOC_X* x, int32_t ph, int32_t pw) {
  const int32_t count = b->rows * b->columns;
  real_t result = 0;
  int first = 1;
  int32_t i, j, k;
  for (i = 0; i < b->rows; ++i) {
    const real_t at_y = b->y + (real_t)ph * b->height + ((real_t)i + BYOC_C(0.5)) * b->height / (real_t)b->rows;
    for (j = 0; j < b->columns; ++j) {
      const real_t at_x = b->x + (real_t)pw * b->width + ((real_t)j + BYOC_C(0.5)) * b->width / (real_t)b->columns;
      int32_t top = 0, bottom = 0, left = 0, right = 0;
      real_t term[4] = {0, 0, 0, 0};
      if (at_y >= BYOC_C(-1.0) && at_y <= (real_t)p->height && at_x >= BYOC_C(-1.0) && at_x <= (real_t)p->width) {
        const real_t ly = between(at_y, p->height, &top, &bottom), lx = between(at_x, p->width, &left, &right);
        const real_t hy = BYOC_C(1.0) - ly, hx = BYOC_C(1.0) - lx;
        term[0] = hy * hx * BYOC_X_LOAD(x[top * p->width + left]);
        term[1] = hy * lx * BYOC_X_LOAD(x[top * p->width + right]);
        term[2] = ly * hx * BYOC_X_LOAD(x[bottom * p->width + left]);
        term[3] = ly * lx * BYOC_X_LOAD(x[bottom * p->width + right]);
      }
      for (k = 0; k < 4; ++k) {
        if (p->average)
          result += term[k];
        else
          result = first || term[k] > result ? term[k] : result;
        first = 0;
      }
    }
  }
  return p->average && count > 0 ? result / (real_t)count : result;
}

BYOC_ROI_ALIGN(BYOC_SYMBOL, BYOC_X, BYOC_WEIGHT, BYOC_INDEX) {
  const real_t offset = p->half_pixel ? BYOC_C(0.5) : BYOC_C(0.0);
  const byoc_offset_t plane = (byoc_offset_t)p->height * p->width;
  int32_t r, c, ph, pw;
  for (r = 0; r < p->rois; ++r, rois += 4) {
    bins_t b;
    real_t w, h;
    if (images[r] < 0 || images[r] >= p->batch) return 1;
    b.x = BYOC_X_LOAD(rois[0]) * scale - offset;
    b.y = BYOC_X_LOAD(rois[1]) * scale - offset;
    w = BYOC_X_LOAD(rois[2]) * scale - offset - b.x;
    h = BYOC_X_LOAD(rois[3]) * scale - offset - b.y;
    if (!p->half_pixel) {
      w = w < BYOC_C(1.0) ? BYOC_C(1.0) : w;
      h = h < BYOC_C(1.0) ? BYOC_C(1.0) : h;
    }
    b.height = h / (real_t)p->out_height;
    b.width = w / (real_t)p->out_width;
    b.rows = samples(b.height, p->sampling_ratio);
    b.columns = samples(b.width, p->sampling_ratio);
    for (c = 0; c < p->channels; ++c) {
      const BYOC_X* from = x + ((byoc_offset_t)images[r] * p->channels + c) * plane;
      for (ph = 0; ph < p->out_height; ++ph) {
        for (pw = 0; pw < p->out_width; ++pw) {
          const real_t v = bin(p, &b, from, ph, pw);
          *y++ = BYOC_X_STORE(v);
        }
      }
    }
  }
  return 0;
}
