/* BYOC_I, BYOC_A: the types of pads and of axes. */
#include "byoc_parameter.h"

/* The element of [0, n) that stands `at` positions from the first one; -1: none does. */
static inline int32_t source(int32_t mode, int64_t at, int32_t n) {
  const int64_t period = mode == BYOC_PAD_WRAP ? n : mode == BYOC_PAD_REFLECT ? 2 * ((int64_t)n - 1) : 2 * (int64_t)n;
  int64_t within;
  if (at >= 0 && at < n) return (int32_t)at;
  if (mode == BYOC_PAD_CONSTANT) return -1;
  if (mode == BYOC_PAD_EDGE || n == 1) return at < 0 ? 0 : n - 1;
  within = at % period;
  if (within < 0) within += period;
  if (within < n) return (int32_t)within;
  return (int32_t)(period - within - (mode == BYOC_PAD_SYMMETRIC ? 1 : 0));
}

/* Which elements of one dim of x are those of y. */
static int32_t map_dim(const byoc_pad_t* p, int32_t d, int64_t before, int64_t after, int32_t* map) {
  const int32_t in = p->in[d], out = p->out[d];
  int64_t cut, kept;
  int32_t i;
  if (before < -(int64_t)INT32_MAX || before > INT32_MAX || after < -(int64_t)INT32_MAX || after > INT32_MAX) return 1;
  if (in + before + after != out) return 1;
  /* Negative pads cut first. */
  cut = before < 0 ? -before : 0;
  if (cut > in) cut = in;
  kept = in - cut + (after < 0 ? after : 0);
  if (kept < 0) kept = 0;
  if (kept == 0 && out > 0 && p->mode != BYOC_PAD_CONSTANT) return 1;
  for (i = 0; i < out; ++i) {
    const int32_t from = kept == 0 ? -1 : source(p->mode, i - (before > 0 ? before : 0), (int32_t)kept);
    map[i] = from < 0 ? -1 : from + (int32_t)cut;
  }
  return 0;
}

BYOC_PAD(BYOC_SYMBOL, BYOC_I, BYOC_A) {
  int32_t *maps[BYOC_PARAMETER_RANK], index[BYOC_PARAMETER_RANK] = {0}, d, i, empty = 0;
  const uint8_t* x = (const uint8_t*)from;
  uint8_t* y = (uint8_t*)to;
  uint32_t named = 0;
  for (d = 0; d < p->rank; ++d) {
    maps[d] = map;
    map += p->out[d];
    empty |= p->out[d] == 0;
  }
  for (i = 0; i < p->count; ++i) {
    const int64_t given = axes ? axes[i] : i, axis = given < 0 ? given + p->rank : given;
    if (axis < 0 || axis >= p->rank || (named >> axis & 1u) != 0) return 1;
    named |= (uint32_t)1 << axis;
    if (map_dim(p, (int32_t)axis, pads[i], pads[i + p->count], maps[axis])) return 1;
  }
  for (d = 0; d < p->rank; ++d)
    if ((named >> d & 1u) == 0 && map_dim(p, d, 0, 0, maps[d])) return 1;
  if (empty) return 0;
  for (;;) {
    byoc_offset_t at = 0;
    for (d = 0; d < p->rank && at >= 0; ++d) at = maps[d][index[d]] < 0 ? -1 : at * p->in[d] + maps[d][index[d]];
    memcpy(y, at < 0 ? (const uint8_t*)fill : x + at * p->size, (size_t)p->size);
    y += p->size;
    for (d = p->rank - 1; d >= 0; --d) {
      if (++index[d] < p->out[d]) break;
      index[d] = 0;
    }
    if (d < 0) return 0;
  }
}
