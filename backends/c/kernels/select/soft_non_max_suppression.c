/* Boxes by falling score, equal ones by their index. A candidate's score falls as chosen boxes are found to cover it;
   it waits until it is the best again, and each chosen box counts once. A chosen box stays a candidate and covers
   itself, unless it has no area. */
#include <math.h>

#include "byoc_boxes.h"
#include "byoc_select.h"

static byoc_box_t box_at(const float* boxes, int32_t i) {
  const float* b = boxes + (byoc_offset_t)i * 4;
  byoc_box_t box;
  box.y1 = byoc_smaller(b[0], b[2]);
  box.x1 = byoc_smaller(b[1], b[3]);
  box.y2 = byoc_larger(b[0], b[2]);
  box.x2 = byoc_larger(b[1], b[3]);
  return box;
}

/* -1: there is none. compared[i]: with how many chosen ones candidate i was compared; -1 where i is none. */
static int32_t best_of(int32_t count, const float* scores, const int32_t* compared) {
  int32_t best = -1, i;
  for (i = 0; i < count; ++i)
    if (compared[i] >= 0 && (best < 0 || scores[i] > scores[best])) best = i;
  return best;
}

BYOC_SOFT_NON_MAX_SUPPRESSION(BYOC_SYMBOL) {
  const float scale = sigma && *sigma > 0 ? -0.5f / *sigma : 0.0f;
  const int32_t room = most;
  int32_t kept = 0, candidates = 0, best, i;
  for (i = 0; i < count; ++i) {
    work[i] = scores[i];
    compared[i] = scores[i] > *least ? 0 : -1;
    candidates += compared[i] + 1;
  }
  if (most > candidates) most = candidates;
  while (kept < most && (best = best_of(count, work, compared)) >= 0) {
    const byoc_box_t box = box_at(boxes, best);
    const float before = work[best];
    const int32_t seen = kept;
    int covered = 0;
    for (i = kept - 1; i >= compared[best]; --i) {
      const byoc_box_t other = box_at(boxes, chosen[i]);
      const float by = byoc_intersection_over_union(&box, &other);
      if (by >= *overlap) {
        covered = 1;
        break;
      }
      if (scale < 0) work[best] = work[best] * expf(scale * by * by);
      if (work[best] <= *least) break;
    }
    if (!covered && work[best] == before) {
      chosen[kept] = best;
      if (values) values[kept] = before;
      ++kept;
    }
    compared[best] = !covered && work[best] > *least ? seen : -1;
  }
  *found = kept;
  for (i = kept; i < room; ++i) {
    chosen[i] = 0;
    if (values) values[i] = 0;
  }
}
