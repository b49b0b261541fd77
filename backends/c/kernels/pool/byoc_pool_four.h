/* Four neighbouring windows of one channel at once: the vectors of MVE, or four numbers that share loops and addresses.
   All are read before a result is written. */
#ifndef BYOC_POOL_FOUR_H
#define BYOC_POOL_FOUR_H

#include "byoc_pool.h"
#include "byoc_taps.h"

/* Whether the windows of the four results from `first` on have all their taps along the last dim. */
static inline int byoc_four_inside(const byoc_pool_t* p, int32_t first) {
  const int32_t start = first * p->stride[2] - p->pad[2];
  return first + 4 <= p->out[2] && start >= 0 &&
         start + 3 * p->stride[2] + (p->kernel[2] - 1) * p->dilation[2] < p->in[2];
}

/* The first window's first tap in row ky of plane kz. */
static inline byoc_offset_t byoc_window_row(const byoc_pool_t* p, byoc_taps_t tz, int32_t kz, byoc_taps_t ty,
                                            int32_t ky, int32_t start) {
  return ((byoc_offset_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1]) * p->in[2] +
         start;
}

#endif
