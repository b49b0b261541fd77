/* BYOC_WEIGHT: the type of weights. What lies outside counts for the edge. */
#include <math.h>

#include "byoc_resize_axes.h"

static double weight_at(const byoc_resize_rules_t* p, double d) {
  const double a = p->cubic_a;
  if (p->reach == 1) return d < 1 ? 1 - d : 0;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

static int32_t within(const byoc_sampled_axis_t* axis, double element) {
  if (!(element > 0)) return 0;
  return element > axis->in - 1 ? axis->in - 1 : (int32_t)element;
}

BYOC_RESIZE_TAPS(BYOC_SYMBOL, BYOC_WEIGHT) {
  const double stretch = p->antialias && axis->scale < 1 ? axis->scale : 1;
  const int32_t from = (int32_t)floor(-p->reach / stretch) + 1;
  int32_t o, i, used = 0;
  for (o = 0; o < axis->out; ++o) {
    const double position = byoc_resize_position(p, axis, o), left = floor(position), ratio = position - left;
    double total = 0, sum = 0;
    first[o] = 0;
    tap[o] = used;
    if (byoc_resize_is_outside(p, axis, position)) continue;
    if (p->antialias || p->exclude_outside) {
      for (i = from; i < 2 - from; ++i)
        if (!p->exclude_outside || (left + i >= 0 && left + i < axis->in))
          total += weight_at(p, fabs((i - ratio) * stretch));
    }
    if (total == 0) total = 1;
    first[o] = within(axis, left + from);
    for (i = from; i < 2 - from; ++i) {
      const int32_t at = within(axis, left + i);
      if (!p->exclude_outside || (left + i >= 0 && left + i < axis->in))
        sum += weight_at(p, fabs((i - ratio) * stretch));
      if (i + 1 < 2 - from && within(axis, left + i + 1) == at) continue;
      if (sum == 0 && used == tap[o] && i + 1 < 2 - from)
        first[o] = at + 1; /* no weight before the first */
      else
        weights[used++] = (BYOC_WEIGHT)(sum / total);
      sum = 0;
    }
    while (used > tap[o] + 1 && weights[used - 1] == 0) --used;
  }
  tap[axis->out] = used;
}
