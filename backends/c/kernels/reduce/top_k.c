/* BYOC_X: see byoc_element.h; BYOC_LESS(a, b). */
#include "byoc_top_k.h"

#include "byoc_element.h"

/* Whether element a of a line comes before element b. */
static inline int before(const byoc_top_k_t* p, const BYOC_X* x, int32_t a, int32_t b) {
  const BYOC_X_WORK va = BYOC_X_LOAD(x[(byoc_offset_t)a * p->inner]), vb = BYOC_X_LOAD(x[(byoc_offset_t)b * p->inner]);
  const int less = BYOC_LESS(va, vb), more = BYOC_LESS(vb, va);
  if (less != more) return p->largest ? more : less;
  return a < b;
}

/* heap[0] comes last of all; what is at `at` sinks to its place among `count`. */
static inline void sink(const byoc_top_k_t* p, const BYOC_X* x, int32_t* heap, int32_t at, int32_t count) {
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

static inline void sort(const byoc_top_k_t* p, const BYOC_X* x, int32_t* heap, int32_t k) {
  int32_t n;
  if (k == 0) return;
  for (n = 0; n < k; ++n) heap[n] = n;
  for (n = k / 2 - 1; n >= 0; --n) sink(p, x, heap, n, k);
  for (n = k; n < p->length; ++n) {
    if (!before(p, x, n, heap[0])) continue;
    heap[0] = n;
    sink(p, x, heap, 0, k);
  }
  for (n = k - 1; n > 0; --n) {
    const int32_t last = heap[0];
    heap[0] = heap[n];
    heap[n] = last;
    sink(p, x, heap, 0, n);
  }
}

BYOC_TOP_K(BYOC_SYMBOL, BYOC_X) {
  int32_t o, i, n;
  for (o = 0; o < p->outer; ++o) {
    for (i = 0; i < p->inner; ++i) {
      const BYOC_X* line = x + (byoc_offset_t)o * p->length * p->inner + i;
      const byoc_offset_t first = (byoc_offset_t)o * p->k * p->inner + i;
      sort(p, line, heap, count);
      for (n = 0; n < p->k; ++n) {
        const byoc_offset_t to = first + (byoc_offset_t)n * p->inner;
        if (values) values[to] = n < count ? line[(byoc_offset_t)heap[n] * p->inner] : 0;
        if (indices) indices[to] = n < count ? heap[n] : 0;
      }
    }
  }
}
