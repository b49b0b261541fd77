/* Moves elements by numbers that a run finds. Functions return 1 if these do not lead to the stated shape, or are
   invalid. */
#ifndef BYOC_PARAMETER_H
#define BYOC_PARAMETER_H

#include "byoc_kernel.h"

#define BYOC_PARAMETER_RANK 8

/* `count` starts, ends, axes and steps; elements of `size` bytes. */
typedef struct {
  int32_t rank, count, size;
  int32_t in[BYOC_PARAMETER_RANK], out[BYOC_PARAMETER_RANK];
} byoc_slice_t;

/* axes and steps may be NULL. */
#define BYOC_SLICE(name, I)                                                                                            \
  int32_t name(const byoc_slice_t* p, const void* from, const I* starts, const I* ends, const I* axes, const I* steps, \
               void* to)

/* `count` axes, of each how much before, then of each how much behind. */
enum { BYOC_PAD_CONSTANT, BYOC_PAD_EDGE, BYOC_PAD_REFLECT, BYOC_PAD_SYMMETRIC, BYOC_PAD_WRAP };
typedef struct {
  int32_t rank, count, size, mode;
  int32_t in[BYOC_PARAMETER_RANK], out[BYOC_PARAMETER_RANK];
} byoc_pad_t;

/* axes may be NULL; map: as many as there are indices of all dims of the result together. */
#define BYOC_PAD(name, I, A)                                                                                        \
  int32_t name(const byoc_pad_t* p, const void* from, const I* pads, const void* fill, const A* axes, int32_t* map, \
               void* to)

#endif
