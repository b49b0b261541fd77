/* Where the elements of resized axes come from, where scales, sizes or the region are known only at run time: the
   tables of byoc_arrange.h's byoc_pick_t and of byoc_resample.h. */
#ifndef BYOC_RESIZE_AXES_H
#define BYOC_RESIZE_AXES_H

#include "byoc_kernel.h"

enum {
  BYOC_HALF_PIXEL,
  BYOC_HALF_PIXEL_SYMMETRIC,
  BYOC_PYTORCH_HALF_PIXEL,
  BYOC_ALIGN_CORNERS,
  BYOC_ASYMMETRIC,
  BYOC_TF_HALF_PIXEL_FOR_NN,
  BYOC_TF_CROP_AND_RESIZE
};
enum { BYOC_PREFER_FLOOR, BYOC_PREFER_CEIL, BYOC_FLOOR, BYOC_CEIL, BYOC_SIMPLE };
enum { BYOC_STRETCH, BYOC_NOT_LARGER, BYOC_NOT_SMALLER };

/* axes: how many operands speak of. reach: of a weight, 1 for linear and 2 for cubic. */
typedef struct {
  int32_t axes, transform, nearest, policy, reach, antialias, exclude_outside;
  double cubic_a;
} byoc_resize_rules_t;

/* Lengths, the scale, and the region that is taken, in lengths. */
typedef struct {
  int32_t in, out;
  double scale, start, end;
} byoc_sampled_axis_t;

/* Scales or sizes, and the region: NULL where they are not given. Returns 1 where they give another length. */
#define BYOC_RESIZE_READ(name, R)                                                                     \
  int32_t name(const byoc_resize_rules_t* p, const float* scales, const int64_t* sizes, const R* roi, \
               byoc_sampled_axis_t* axes)

/* at[o]: the nearest element times stride; -1 outside the region. */
void byoc_resize_nearest(const byoc_resize_rules_t* p, const byoc_sampled_axis_t* axis, int32_t stride, int32_t* at);

/* first[out], tap[out + 1] and their weights: of each element of the old axis one at most, without antialias 2 * reach.
 */
#define BYOC_RESIZE_TAPS(name, W) \
  void name(const byoc_resize_rules_t* p, const byoc_sampled_axis_t* axis, int32_t* first, int32_t* tap, W* weights)

static inline int byoc_resize_stays(const byoc_sampled_axis_t* a) {
  return a->in == a->out && a->scale == 1 && a->start == 0 && a->end == 1;
}

/* Position o of the new axis in the old one. An axis that nothing changes is not sampled. */
static inline double byoc_resize_position(const byoc_resize_rules_t* p, const byoc_sampled_axis_t* a, int32_t o) {
  const double length = a->scale * a->in, last = a->in - 1;
  if (byoc_resize_stays(a)) return o;
  switch (p->transform) {
    case BYOC_ALIGN_CORNERS: return length == 1 ? 0 : o * last / (length - 1);
    case BYOC_ASYMMETRIC: return o / a->scale;
    case BYOC_TF_HALF_PIXEL_FOR_NN: return (o + 0.5) / a->scale;
    case BYOC_PYTORCH_HALF_PIXEL: return length > 1 ? (o + 0.5) / a->scale - 0.5 : 0;
    case BYOC_TF_CROP_AND_RESIZE:
      return length > 1 ? a->start * last + o * (a->end - a->start) * last / (length - 1)
                        : 0.5 * (a->start + a->end) * last;
    case BYOC_HALF_PIXEL_SYMMETRIC: return a->in / 2.0 * (1 - a->out / length) + (o + 0.5) / a->scale - 0.5;
    default: return (o + 0.5) / a->scale - 0.5;
  }
}

static inline int byoc_resize_is_outside(const byoc_resize_rules_t* p, const byoc_sampled_axis_t* a, double position) {
  return p->transform == BYOC_TF_CROP_AND_RESIZE && !(position >= 0 && position <= a->in - 1);
}

#endif
