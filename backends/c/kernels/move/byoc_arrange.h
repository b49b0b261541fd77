/* Rearrangements whose places follow from a few numbers: one-hot rows, triangles, reversed sequences, unpooling, axes
   picked by tables, ranges. */
#ifndef BYOC_ARRANGE_H
#define BYOC_ARRANGE_H

#include "byoc_kernel.h"

#define BYOC_ARRANGE_RANK 6

typedef struct {
  int32_t outer, depth, inner;
} byoc_one_hot_t;

/* values: what stands elsewhere, and what stands at an index. Indices out of [-depth, depth) stand nowhere. */
#define BYOC_ONE_HOT(name, I) void name(const byoc_one_hot_t* p, const I* indices, const void* values, void* to)

/* Rows and columns of `size` bytes an element. */
typedef struct {
  int32_t matrices, rows, columns, size, upper;
} byoc_triangle_t;

void byoc_triangle(const byoc_triangle_t* p, const void* from, int64_t k, void* to);

/* Runs of `inner` bytes; strides in bytes. */
typedef struct {
  int32_t batches, steps, batch_stride, step_stride, inner;
} byoc_reverse_t;

/* Returns 1 where a length is out of range. */
#define BYOC_REVERSE(name, I) int32_t name(const byoc_reverse_t* p, const void* from, const I* lengths, void* to)

/* The shape that indices count in, and the strides of the result: rank 0 where they are one. */
typedef struct {
  int32_t count, size, total, rank;
  int32_t dims[BYOC_ARRANGE_RANK], stride[BYOC_ARRANGE_RANK];
} byoc_unpool_t;

/* Returns 1 where an index is out of range. */
#define BYOC_UNPOOL(name, I) int32_t name(const byoc_unpool_t* p, const void* from, const I* indices, void* to)

/* Runs of `inner` elements. Along a dim, a run begins at table[i], or at i * stride where it has no table; -1 in a
   table stands for a run of the element `fill`. */
typedef struct {
  int32_t rank, inner;
  int32_t dims[BYOC_ARRANGE_RANK], stride[BYOC_ARRANGE_RANK];
  const int32_t* table[BYOC_ARRANGE_RANK];
} byoc_pick_t;

#define BYOC_PICK(name, T) void name(const byoc_pick_t* p, const void* from, T fill, void* to)

/* Returns 1 where these numbers give another count of elements. */
#define BYOC_RANGE(name, T) int32_t name(int32_t count, const T* start, const T* limit, const T* delta, T* to)

#endif
