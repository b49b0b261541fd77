/* BYOC_ELEMENT: float or int8_t; BYOC_SUM: what weighted int8 elements are summed in (float: not defined). */
#include "byoc_resize_bilinear.h"

#if defined(BYOC_SUM)
typedef int32_t weight_t;
#define ONE 1024
#else
typedef float weight_t;
#define ONE 1.0f
#endif

/* One pixel between four; the weights' products of int8 are in 1/2^20. */
static void pixel(int32_t depth, const BYOC_ELEMENT* a, const BYOC_ELEMENT* b, const BYOC_ELEMENT* c,
                  const BYOC_ELEMENT* d, weight_t v, weight_t u, BYOC_ELEMENT* y) {
  int32_t i;
#if defined(BYOC_SUM)
  const BYOC_SUM wa = (BYOC_SUM)(ONE - v) * (ONE - u), wb = (BYOC_SUM)v * (ONE - u);
  const BYOC_SUM wc = (BYOC_SUM)(ONE - v) * u, wd = (BYOC_SUM)v * u;
  for (i = 0; i < depth; ++i) {
    const BYOC_SUM sum = a[i] * wa + b[i] * wb + c[i] * wc + d[i] * wd;
    y[i] = (BYOC_ELEMENT)((sum + (sum > 0 ? (int32_t)1 << 19 : -((int32_t)1 << 19))) / ((int32_t)1 << 20));
  }
#else
  for (i = 0; i < depth; ++i)
    y[i] = a[i] * (ONE - v) * (ONE - u) + b[i] * v * (ONE - u) + c[i] * (ONE - v) * u + d[i] * v * u;
#endif
}

void BYOC_SYMBOL(const byoc_resize_bilinear_t* p, const BYOC_ELEMENT* x, BYOC_ELEMENT* y) {
  const byoc_resize_axis_t *height = &p->height, *width = &p->width;
  const weight_t *rows = (const weight_t*)height->above, *columns = (const weight_t*)width->above;
  const byoc_offset_t depth = p->depth, line = depth * width->in;
  int32_t n, h, w;
  for (n = 0; n < p->batches; ++n, x += line * height->in) {
    for (h = 0; h < height->out; ++h) {
      const BYOC_ELEMENT *low = x + line * height->lower[h], *high = x + line * height->upper[h];
      for (w = 0; w < width->out; ++w, y += depth) {
        const byoc_offset_t left = depth * width->lower[w], right = depth * width->upper[w];
        pixel(p->depth, low + left, high + left, low + right, high + right, rows[h], columns[w], y);
      }
    }
  }
}
