/* Boxes of each class by falling score, equal ones by their index, without those that overlap a chosen one too much. */
#include "byoc_boxes.h"
#include "byoc_select.h"

static inline byoc_box_t read_box(const float* b, int32_t centre) {
  byoc_box_t box;
  if (centre) {
    box.y1 = b[1] - b[3] / 2;
    box.x1 = b[0] - b[2] / 2;
    box.y2 = b[1] + b[3] / 2;
    box.x2 = b[0] + b[2] / 2;
  } else {
    box.y1 = byoc_smaller(b[0], b[2]);
    box.x1 = byoc_smaller(b[1], b[3]);
    box.y2 = byoc_larger(b[0], b[2]);
    box.x2 = byoc_larger(b[1], b[3]);
  }
  return box;
}

/* At most `most` boxes of one class into y; how many, or room + 1. */
static int32_t choose(const byoc_non_max_suppression_t* p, const float* boxes, const float* scores, int64_t most,
                      int32_t room, float overlap, const float* least, int64_t* y, int32_t* heap) {
  int32_t kept = 0, left = 0, n, k;
  for (n = 0; n < p->count; ++n)
    if (!least || scores[n] > *least) heap[left++] = n;
  byoc_heap_make(scores, 1, heap, left);
  while (left != 0 && kept < most) {
    const int32_t best = byoc_heap_take(scores, 1, heap, left--);
    const byoc_box_t box = read_box(boxes + (byoc_offset_t)best * 4, p->centre);
    for (k = 0; k < kept; ++k) {
      const byoc_box_t chosen = read_box(boxes + (byoc_offset_t)y[k * 3 + 2] * 4, p->centre);
      if (byoc_intersection_over_union(&box, &chosen) > overlap) break;
    }
    if (k < kept) continue;
    if (kept == room) return room + 1;
    y[kept * 3 + 2] = best;
    ++kept;
  }
  return kept;
}

BYOC_NON_MAX_SUPPRESSION(BYOC_SYMBOL) {
  int32_t count = 0, b, c, k;
  for (b = 0; b < p->batch; ++b) {
    for (c = 0; c < p->classes; ++c) {
      const int32_t room = p->room - count;
      int64_t* at = y + (byoc_offset_t)count * 3;
      const int32_t found =
          choose(p, boxes + (byoc_offset_t)b * p->count * 4, scores + ((byoc_offset_t)b * p->classes + c) * p->count,
                 most ? *most : 0, room, overlap ? *overlap : 0.0f, least, at, work);
      if (found > room) return p->room + 1;
      for (k = 0; k < found; ++k) {
        at[k * 3] = b;
        at[k * 3 + 1] = c;
      }
      count += found;
    }
  }
  for (k = count * 3; k < p->room * 3; ++k) y[k] = 0;
  return count;
}
