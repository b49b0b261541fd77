/* BYOC_X: see byoc_element.h; BYOC_LESS(a, b): NaN is larger than every number. */
#include "byoc_element.h"
#include "byoc_select.h"

/* Negative, zero or positive. */
static inline int compare(const byoc_unique_t* p, const BYOC_X* x, int32_t a, int32_t b) {
  int32_t o, i;
  for (o = 0; o < p->outer; ++o) {
    const BYOC_X* of_a = x + ((byoc_offset_t)o * p->length + a) * p->inner;
    const BYOC_X* of_b = x + ((byoc_offset_t)o * p->length + b) * p->inner;
    for (i = 0; i < p->inner; ++i) {
      const BYOC_X_WORK va = BYOC_X_LOAD(of_a[i]), vb = BYOC_X_LOAD(of_b[i]);
      if (BYOC_LESS(va, vb)) return -1;
      if (BYOC_LESS(vb, va)) return 1;
    }
  }
  return 0;
}

static inline int before(const byoc_unique_t* p, const BYOC_X* x, int32_t a, int32_t b) {
  const int order = compare(p, x, a, b);
  return order != 0 ? order < 0 : a < b;
}

/* heap[0] comes last of all; what is at `at` sinks to its place among `count`. */
static void sink(const byoc_unique_t* p, const BYOC_X* x, int32_t* heap, int32_t at, int32_t count) {
  const int32_t moved = heap[at];
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && before(p, x, heap[child], heap[child + 1])) ++child;
    if (!before(p, x, moved, heap[child])) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moved;
}

static void sort(const byoc_unique_t* p, const BYOC_X* x, int32_t* order) {
  int32_t n;
  for (n = 0; n < p->length; ++n) order[n] = n;
  for (n = p->length / 2 - 1; n >= 0; --n) sink(p, x, order, n, p->length);
  for (n = p->length - 1; n > 0; --n) {
    const int32_t last = order[0];
    order[0] = order[n];
    order[n] = last;
    sink(p, x, order, 0, n);
  }
}

BYOC_UNIQUE(BYOC_SYMBOL, BYOC_X) {
  int32_t *order = work, *group = work + p->length; /* of each slice the group that it is of */
  int32_t count = 0, i, o, k;
  sort(p, x, order);
  for (i = 0; i < p->length; ++i) {
    const int32_t slice = order[i];
    if (i == 0 || compare(p, x, order[i - 1], slice) != 0) {
      group[slice] = p->sorted ? count : slice;
      ++count;
    } else {
      group[slice] = group[order[i - 1]];
    }
  }
  if (count > p->room) return p->room + 1;
  if (!p->sorted) { /* until here a group is its first slice; now groups count in the order of those */
    for (i = 0, count = 0; i < p->length; ++i) {
      order[i] = group[i] == i ? count++ : order[group[i]];
    }
    group = order;
  }
  for (i = 0; i < p->room; ++i) {
    if (first) first[i] = 0;
    if (counts) counts[i] = 0;
  }
  if (y)
    for (o = 0; o < p->outer; ++o)
      memset(y + ((byoc_offset_t)o * p->room + count) * p->inner, 0,
             (size_t)(p->room - count) * (size_t)p->inner * sizeof(BYOC_X));
  for (i = p->length - 1; i >= 0; --i) { /* backwards: the first slice of a group is what stays */
    const int32_t at = group[i];
    if (first) first[at] = i;
    if (inverse) inverse[i] = at;
    if (counts) ++counts[at];
    if (y)
      for (o = 0; o < p->outer; ++o)
        for (k = 0; k < p->inner; ++k)
          y[((byoc_offset_t)o * p->room + at) * p->inner + k] = x[((byoc_offset_t)o * p->length + i) * p->inner + k];
  }
  return count;
}
