/* Where a sliding kernel meets its input along one dim. */
#ifndef BYOC_TAPS_H
#define BYOC_TAPS_H

#include "byoc_kernel.h"

/* Taps [first, last) lie inside the input, tap 0 is at `start`. */
typedef struct {
  int32_t start, first, last;
} byoc_taps_t;

static inline byoc_taps_t byoc_taps(int32_t out, int32_t in, int32_t kernel, int32_t stride, int32_t dilation,
                                    int32_t pad) {
  byoc_taps_t t;
  t.start = out * stride - pad;
  t.first = 0;
  t.last = kernel;
  if (t.start < 0) {
    t.first = (dilation - 1 - t.start) / dilation;
    if (t.first > kernel) t.first = kernel;
  }
  if (t.start + (kernel - 1) * dilation >= in) {
    t.last = t.start < in ? (in - t.start + dilation - 1) / dilation : 0;
    if (t.last < t.first) t.last = t.first;
  }
  return t;
}

/* As byoc_taps, for dim `d` of parameters with in, kernel, stride, dilation and pad. */
#define BYOC_TAPS(p, d, out) byoc_taps(out, (p)->in[d], (p)->kernel[d], (p)->stride[d], (p)->dilation[d], (p)->pad[d])

#endif
