/* Boxes out of their encodings, and the best of them. */
#include <math.h>
#include <string.h>

#include "byoc_select.h"

static int32_t decode(const byoc_detection_t* p, const float* encodings, const float* anchors, byoc_box_t* boxes) {
  int32_t n;
  for (n = 0; n < p->count; ++n) {
    const float* e = encodings + (byoc_offset_t)n * p->width;
    const float* a = anchors + (byoc_offset_t)n * 4;
    const float y = (float)((double)e[0] / (double)p->y_scale * (double)a[2] + (double)a[0]);
    const float x = (float)((double)e[1] / (double)p->x_scale * (double)a[3] + (double)a[1]);
    const float h = (float)(0.5 * exp((double)e[2] / (double)p->h_scale) * (double)a[2]);
    const float w = (float)(0.5 * exp((double)e[3] / (double)p->w_scale) * (double)a[3]);
    byoc_box_t* b = boxes + n;
    b->y1 = y - h;
    b->x1 = x - w;
    b->y2 = y + h;
    b->x2 = x + w;
    if (b->y1 > b->y2 || b->x1 > b->x2) return 1;
  }
  return 0;
}

/* How many; the k-th is order[count - 1 - k]: the places that the heap has left. */
static int32_t choose(const byoc_detection_t* p, const byoc_box_t* boxes, const float* scores, int32_t stride,
                      int32_t most, int32_t* order) {
  int32_t left = 0, kept = 0, n, k;
  for (n = 0; n < p->count; ++n)
    if (scores[(byoc_offset_t)n * stride] >= p->least) order[left++] = n;
  byoc_heap_make(scores, stride, order, left);
  while (left != 0 && kept < most) {
    const int32_t next = byoc_heap_take(scores, stride, order, left--);
    for (k = 0; k < kept; ++k)
      if (byoc_intersection_over_union(boxes + order[p->count - 1 - k], boxes + next) > p->overlap) break;
    if (k == kept) order[p->count - 1 - kept++] = next;
  }
  return kept;
}

static void put(float* corners, const byoc_box_t* b) {
  corners[0] = b->y1;
  corners[1] = b->x1;
  corners[2] = b->y2;
  corners[3] = b->x2;
}

#if defined(BYOC_REGULAR)

/* Puts a detection behind all that are at least as good. Whether it is one of the best. */
static int32_t insert(const byoc_detection_t* p, int32_t* found, const byoc_box_t* box, float label, float score,
                      float* corners, float* labels, float* values) {
  int32_t at = *found;
  if (at < p->detections)
    ++*found;
  else if (!(values[--at] < score))
    return 0;
  for (; at > 0 && values[at - 1] < score; --at) {
    memcpy(corners + (byoc_offset_t)at * 4, corners + (byoc_offset_t)(at - 1) * 4, 4 * sizeof(float));
    labels[at] = labels[at - 1];
    values[at] = values[at - 1];
  }
  put(corners + (byoc_offset_t)at * 4, box);
  labels[at] = label;
  values[at] = score;
  return 1;
}

#else

/* The class that follows `last` by falling score; the first one behind -1. */
static int32_t next_class(const byoc_detection_t* p, const float* scores, int32_t last) {
  int32_t next = -1, c;
  for (c = 0; c < p->classes; ++c) {
    if (last >= 0 && !byoc_comes_before(scores, 1, last, c)) continue;
    if (next < 0 || byoc_comes_before(scores, 1, c, next)) next = c;
  }
  return next;
}

#endif

BYOC_DETECTION(BYOC_SYMBOL) {
  const float* first = scores + (p->columns - p->classes);
  int32_t count = 0, kept, c, k;
#if !defined(BYOC_REGULAR)
  int32_t n;
#endif
  if (decode(p, encodings, anchors, work)) return 1;
  memset(corners, 0, (size_t)p->room * 4 * sizeof(float));
  memset(labels, 0, (size_t)p->room * sizeof(float));
  memset(values, 0, (size_t)p->room * sizeof(float));
#if defined(BYOC_REGULAR)
  (void)best;
  for (c = 0; c < p->classes; ++c) {
    kept = choose(p, work, first + c, p->columns, p->each, order);
    for (k = 0; k < kept; ++k) {
      const int32_t at = order[p->count - 1 - k];
      const float score = first[(byoc_offset_t)at * p->columns + c];
      if (!insert(p, &count, work + at, (float)c, score, corners, labels, values)) break;
    }
  }
#else
  for (n = 0; n < p->count; ++n) {
    const float* row = first + (byoc_offset_t)n * p->columns;
    best[n] = row[next_class(p, row, -1)];
  }
  kept = choose(p, work, best, 1, p->detections, order);
  for (k = 0; k < kept; ++k) {
    const int32_t at = order[p->count - 1 - k];
    const float* row = first + (byoc_offset_t)at * p->columns;
    int32_t label = -1;
    for (c = 0; c < p->each && c < p->classes; ++c) {
      const byoc_offset_t to = (byoc_offset_t)k * p->each + c;
      label = next_class(p, row, label);
      put(corners + to * 4, work + at);
      labels[to] = (float)label;
      values[to] = row[label];
    }
  }
  count = kept;
#endif
  *found = (float)count;
  return 0;
}
