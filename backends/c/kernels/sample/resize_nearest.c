#include <math.h>

#include "byoc_resize_axes.h"

/* Decided in float, the precision that scales have. */
void byoc_resize_nearest(const byoc_resize_rules_t* p, const byoc_sampled_axis_t* axis, int32_t stride, int32_t* at) {
  int32_t o;
  for (o = 0; o < axis->out; ++o) {
    const double position = byoc_resize_position(p, axis, o), x = (double)(float)position;
    double nearest = floor(x);
    if (byoc_resize_is_outside(p, axis, position)) {
      at[o] = -1;
      continue;
    }
    if (p->nearest == BYOC_CEIL || (p->nearest == BYOC_SIMPLE && axis->scale < 1)) nearest = ceil(x);
    if (p->nearest == BYOC_PREFER_FLOOR) nearest = ceil(x - 0.5);
    if (p->nearest == BYOC_PREFER_CEIL) nearest = floor(x + 0.5);
    if (!(nearest > 0)) nearest = 0;
    if (nearest > axis->in - 1) nearest = axis->in - 1;
    at[o] = (int32_t)nearest * stride;
  }
}
