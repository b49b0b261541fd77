/* BYOC_I: the type of the numbers. */
#include "byoc_parameter.h"

/* Bounds count from the end where they are negative, and stop at either side. */
static inline int32_t bound(int64_t at, int32_t length, int32_t least, int32_t most) {
  if (at < 0) at += length;
  return at < least ? least : at > most ? most : (int32_t)at;
}

BYOC_SLICE(BYOC_SYMBOL, BYOC_I) {
  byoc_offset_t stride[BYOC_PARAMETER_RANK], at = 0;
  int32_t index[BYOC_PARAMETER_RANK] = {0}, out[BYOC_PARAMETER_RANK], d, i, empty = 0;
  const uint8_t* x = (const uint8_t*)from;
  uint8_t* y = (uint8_t*)to;
  uint32_t named = 0;
  byoc_offset_t along = 1;
  for (d = p->rank - 1; d >= 0; --d) {
    stride[d] = along;
    along *= p->in[d];
    out[d] = p->in[d];
  }
  for (i = 0; i < p->count; ++i) {
    const int64_t given = axes ? axes[i] : i, axis = given < 0 ? given + p->rank : given;
    /* A step beyond all elements takes one. */
    const int64_t wanted = steps ? steps[i] : 1, end = ends[i];
    const int32_t step = wanted > INT32_MAX ? INT32_MAX : wanted < -INT32_MAX ? -INT32_MAX : (int32_t)wanted;
    int32_t length, first, last;
    if (axis < 0 || axis >= p->rank || (named >> axis & 1u) != 0 || step == 0) return 1;
    named |= (uint32_t)1 << axis;
    length = p->in[axis];
    if (length == 0) continue;
    first = bound(starts[i], length, 0, step > 0 ? length : length - 1);
    last = bound(end, length, step > 0 ? 0 : -1, step > 0 ? length : length - 1);
    /* The largest numbers mean all that there is, backwards, too. */
    if (step < 0 && (end == INT32_MAX || end == INT64_MAX)) last = -1;
    if (step > 0)
      out[axis] = last > first ? (last - first - 1) / step + 1 : 0;
    else
      out[axis] = first > last ? (first - last - 1) / -step + 1 : 0;
    at += first * stride[axis];
    stride[axis] *= out[axis] > 1 ? step : 0;
  }
  for (d = 0; d < p->rank; ++d) {
    if (out[d] != p->out[d]) return 1;
    empty |= out[d] == 0;
  }
  if (empty) return 0;
  for (;;) {
    memcpy(y, x + at * p->size, (size_t)p->size);
    y += p->size;
    for (d = p->rank - 1; d >= 0; --d) {
      at += stride[d];
      if (++index[d] < out[d]) break;
      at -= stride[d] * out[d];
      index[d] = 0;
    }
    if (d < 0) return 0;
  }
}
