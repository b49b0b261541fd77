/* Boxes, how far they cover each other, and indices by falling score. */
#ifndef BYOC_BOXES_H
#define BYOC_BOXES_H

#include "byoc_kernel.h"

typedef struct {
  float y1, x1, y2, x2;
} byoc_box_t;

static inline float byoc_larger(float a, float b) { return a < b ? b : a; }
static inline float byoc_smaller(float a, float b) { return b < a ? b : a; }

static inline float byoc_box_area(const byoc_box_t* b) { return (b->y2 - b->y1) * (b->x2 - b->x1); }

static inline float byoc_intersection_over_union(const byoc_box_t* a, const byoc_box_t* b) {
  const float height = byoc_smaller(a->y2, b->y2) - byoc_larger(a->y1, b->y1);
  const float width = byoc_smaller(a->x2, b->x2) - byoc_larger(a->x1, b->x1);
  if (height <= 0 || width <= 0 || byoc_box_area(a) <= 0 || byoc_box_area(b) <= 0) return 0;
  return height * width / (byoc_box_area(a) + byoc_box_area(b) - height * width);
}

/* Whether index a comes before b: by falling score, equal ones by their index; NaN is the lowest score. Scores lie
   `stride` apart. */
static inline int byoc_comes_before(const float* scores, int32_t stride, int32_t a, int32_t b) {
  const float va = scores[(byoc_offset_t)a * stride], vb = scores[(byoc_offset_t)b * stride];
  if (va > vb || (va == va && vb != vb)) return 1;
  if (vb > va || (vb == vb && va != va)) return 0;
  return a < b;
}

static inline void byoc_heap_sink(const float* scores, int32_t stride, int32_t* heap, int32_t at, int32_t count) {
  const int32_t moved = heap[at];
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && byoc_comes_before(scores, stride, heap[child + 1], heap[child])) ++child;
    if (!byoc_comes_before(scores, stride, heap[child], moved)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

/* heap[0] comes before all others. */
static inline void byoc_heap_make(const float* scores, int32_t stride, int32_t* heap, int32_t count) {
  int32_t n;
  for (n = count / 2 - 1; n >= 0; --n) byoc_heap_sink(scores, stride, heap, n, count);
}

/* Takes the first of `count` indices away: the place behind the others is free then. */
static inline int32_t byoc_heap_take(const float* scores, int32_t stride, int32_t* heap, int32_t count) {
  const int32_t first = heap[0];
  heap[0] = heap[count - 1];
  if (count > 1) byoc_heap_sink(scores, stride, heap, 0, count - 1);
  return first;
}

#endif
