/* Boxes of each class by falling score, equal ones by their index, without those that overlap a chosen one too much. */
#include "byoc_select.h"

typedef struct {
  float y1, x1, y2, x2;
} box_t;

static inline float larger(float a, float b) { return a < b ? b : a; }
static inline float smaller(float a, float b) { return b < a ? b : a; }

static inline box_t read_box(const float* b, int32_t centre) {
  box_t box;
  if (centre) {
    box.y1 = b[1] - b[3] / 2;
    box.x1 = b[0] - b[2] / 2;
    box.y2 = b[1] + b[3] / 2;
    box.x2 = b[0] + b[2] / 2;
  } else {
    box.y1 = smaller(b[0], b[2]);
    box.x1 = smaller(b[1], b[3]);
    box.y2 = larger(b[0], b[2]);
    box.x2 = larger(b[1], b[3]);
  }
  return box;
}

static inline float area(const box_t* b) { return (b->y2 - b->y1) * (b->x2 - b->x1); }

static inline float intersection_over_union(const box_t* a, const box_t* b) {
  const float height = smaller(a->y2, b->y2) - larger(a->y1, b->y1);
  const float width = smaller(a->x2, b->x2) - larger(a->x1, b->x1);
  if (height <= 0 || width <= 0 || area(a) <= 0 || area(b) <= 0) return 0;
  return height * width / (area(a) + area(b) - height * width);
}

/* NaN is the lowest score. */
static inline int before(const float* scores, int32_t a, int32_t b) {
  const float va = scores[a], vb = scores[b];
  if (va > vb || (va == va && vb != vb)) return 1;
  if (vb > va || (vb == vb && va != va)) return 0;
  return a < b;
}

/* heap[0] comes first of all. */
static void sink(const float* scores, int32_t* heap, int32_t at, int32_t count) {
  const int32_t moved = heap[at];
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && before(scores, heap[child + 1], heap[child])) ++child;
    if (!before(scores, heap[child], moved)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

/* At most `most` boxes of one class into y; how many, or room + 1. */
static int32_t choose(const byoc_non_max_suppression_t* p, const float* boxes, const float* scores, int64_t most,
                      int32_t room, float overlap, const float* least, int64_t* y, int32_t* heap) {
  int32_t kept = 0, left = 0, n, k;
  for (n = 0; n < p->count; ++n)
    if (!least || scores[n] > *least) heap[left++] = n;
  for (n = left / 2 - 1; n >= 0; --n) sink(scores, heap, n, left);
  while (left != 0 && kept < most) {
    const int32_t best = heap[0];
    const box_t box = read_box(boxes + (ptrdiff_t)best * 4, p->centre);
    heap[0] = heap[--left];
    if (left != 0) sink(scores, heap, 0, left);
    for (k = 0; k < kept; ++k) {
      const box_t chosen = read_box(boxes + (ptrdiff_t)y[k * 3 + 2] * 4, p->centre);
      if (intersection_over_union(&box, &chosen) > overlap) break;
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
      int64_t* at = y + (ptrdiff_t)count * 3;
      const int32_t found =
          choose(p, boxes + (ptrdiff_t)b * p->count * 4, scores + ((ptrdiff_t)b * p->classes + c) * p->count,
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
