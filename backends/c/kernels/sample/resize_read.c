/* BYOC_X: the region's type, see byoc_element.h. */
#include "byoc_resize_axes.h"

#include "byoc_element.h"

/* The product in float, as shape inference of ONNX forms it. */
static int has_length(const byoc_sampled_axis_t* a) {
  return a->scale > 0 && floorf((float)a->scale * (float)a->in) == (float)a->out;
}

BYOC_RESIZE_READ(BYOC_SYMBOL, BYOC_X) {
  double common = 0;
  int32_t i;
  for (i = 0; i < p->axes; ++i) {
    byoc_sampled_axis_t* a = axes + i;
    if (roi != NULL) {
      a->start = (double)BYOC_X_LOAD(roi[i]);
      a->end = (double)BYOC_X_LOAD(roi[i + p->axes]);
    }
    if (scales != NULL) {
      a->scale = (double)scales[i];
      if (!has_length(a)) return 1;
    } else {
      if (sizes[i] < 0 || (p->policy == BYOC_STRETCH && sizes[i] != a->out)) return 1;
      a->scale = a->in == 0 ? 1 : (double)sizes[i] / a->in;
      if (i == 0 || (p->policy == BYOC_NOT_LARGER ? a->scale < common : a->scale > common)) common = a->scale;
    }
  }
  if (scales != NULL || p->policy == BYOC_STRETCH) return 0;
  for (i = 0; i < p->axes; ++i) {
    axes[i].scale = common;
    if (floor(common * axes[i].in + 0.5) != (double)axes[i].out) return 1;
  }
  return 0;
}
