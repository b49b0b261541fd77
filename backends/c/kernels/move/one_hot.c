/* BYOC_ELEMENT: an unsigned integer of the element's size; BYOC_I: see byoc_element.h; BYOC_REAL or BYOC_NATURAL where
   the indices are floats or unsigned. */
#include "byoc_arrange.h"
#include "byoc_element.h"

/* The index counted from the start; -1 where it is out of range. */
static inline int32_t position(BYOC_I_WORK v, int32_t depth) {
#if defined(BYOC_REAL)
  int32_t n;
  if (v != v) return 0; /* what NaN is as an integer, here as in all operators */
  if (!(v > -(BYOC_I_WORK)depth - 1 && v < (BYOC_I_WORK)depth)) return -1;
  n = (int32_t)v;
  return n < 0 ? n + depth : n;
#elif defined(BYOC_NATURAL)
  return (uint64_t)v < (uint64_t)depth ? (int32_t)v : -1;
#else
  const int64_t n = v;
  if (n < -(int64_t)depth || n >= depth) return -1;
  return (int32_t)(n < 0 ? n + depth : n);
#endif
}

BYOC_ONE_HOT(BYOC_SYMBOL, BYOC_I) {
  const BYOC_ELEMENT off = ((const BYOC_ELEMENT*)values)[0], on = ((const BYOC_ELEMENT*)values)[1];
  const byoc_offset_t block = (byoc_offset_t)p->depth * p->inner;
  BYOC_ELEMENT* y = (BYOC_ELEMENT*)to;
  byoc_offset_t n;
  int32_t o, i;
  for (o = 0; o < p->outer; ++o, y += block) {
    for (n = 0; n < block; ++n) y[n] = off;
    for (i = 0; i < p->inner; ++i) {
      const int32_t at = position(BYOC_I_LOAD(*indices), p->depth);
      ++indices;
      if (at >= 0) y[(byoc_offset_t)at * p->inner + i] = on;
    }
  }
}
