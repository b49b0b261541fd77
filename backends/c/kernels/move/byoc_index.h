/* Elements by index: negative ones count from the end. Functions return 1 where an index is out of range. */
#ifndef BYOC_INDEX_H
#define BYOC_INDEX_H

#include "byoc_kernel.h"

#define BYOC_INDEX_RANK 6

/* Whether `n`, made to count from the start, lies in [0, length). */
#define BYOC_IN_RANGE(n, length) (((n) < 0 ? (n) += (length) : (n)) >= 0 && (n) < (length))

/* Runs of `inner` elements, `count` of them picked out of `length` along an axis with `outer` in front; each of the
   `batches` has indices of its own. */
typedef struct {
  int32_t batches, outer, length, count, inner;
} byoc_gather_t;

#define BYOC_GATHER(name, I) int32_t name(const byoc_gather_t* p, const void* from, const I* indices, void* to)

/* One element each along an axis of `length` elements that are `along` apart; `stride` leads through the other dims. */
typedef struct {
  int32_t length, along, rank;
  int32_t dims[BYOC_INDEX_RANK], stride[BYOC_INDEX_RANK];
} byoc_elements_t;

#define BYOC_GATHER_ELEMENTS(name, I) \
  int32_t name(const byoc_elements_t* p, const void* from, const I* indices, void* to)
#define BYOC_SCATTER_ELEMENTS(name, I) \
  int32_t name(const byoc_elements_t* p, const I* indices, const void* updates, void* to)

/* Runs of `inner` elements that `count` tuples of `width` indices begin, for each of `batches`. */
typedef struct {
  int32_t batches, batch_stride, count, width, inner;
  int32_t length[BYOC_INDEX_RANK], stride[BYOC_INDEX_RANK];
} byoc_tuples_t;

#define BYOC_GATHER_ND(name, I) int32_t name(const byoc_tuples_t* p, const void* from, const I* indices, void* to)
#define BYOC_SCATTER_ND(name, I) int32_t name(const byoc_tuples_t* p, const I* indices, const void* updates, void* to)

/* Steps along `outer` dims of BYOC_INDEX_RANK odometers: the offset that element `i` of a walk over all dims has. */
typedef struct {
  int32_t index[BYOC_INDEX_RANK];
  byoc_offset_t at;
} byoc_walk_t;

/* To the next line of elements along the last dim; 0 behind the last one. */
static inline int byoc_next_line(const byoc_elements_t* p, byoc_walk_t* walk) {
  int32_t d;
  for (d = p->rank - 2; d >= 0; --d) {
    walk->at += p->stride[d];
    if (++walk->index[d] < p->dims[d]) return 1;
    walk->at -= (byoc_offset_t)p->stride[d] * p->dims[d];
    walk->index[d] = 0;
  }
  return 0;
}

#endif
