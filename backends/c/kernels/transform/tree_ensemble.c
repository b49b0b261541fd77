/*
 * BYOC_X: float or double; BYOC_INDEX: int16_t or int32_t; BYOC_PLACE: uint8_t or BYOC_INDEX. BYOC_MODE: of all nodes,
 * if it is one. BYOC_ONE_EACH: leaf l has weight l alone. BYOC_ONE_TARGET: there is one. BYOC_MIN, BYOC_MAX,
 * BYOC_AVERAGE: instead of the sum of what the trees give.
 */
#include "byoc_tree_ensemble.h"

#include <float.h>

#if defined(BYOC_MIN)
#define BYOC_START BYOC_LARGEST_X
#elif defined(BYOC_MAX)
#define BYOC_START (-BYOC_LARGEST_X)
#else
#define BYOC_START 0
#endif

#if !defined(BYOC_MODE)
#define BYOC_MODE mode[at]
#endif

static inline int takes_first(int32_t mode, BYOC_X v, BYOC_X split) {
  if (v != v && mode >= BYOC_TREE_NAN_IS_TRUE) return 1;
  switch (mode & 7) {
    case BYOC_TREE_LESS_OR_EQUAL: return v <= split;
    case BYOC_TREE_LESS: return v < split;
    case BYOC_TREE_GREATER_OR_EQUAL: return v >= split;
    case BYOC_TREE_GREATER: return v > split;
    case BYOC_TREE_EQUAL: return v == split;
    default: return v != split;
  }
}

BYOC_TREE_ENSEMBLE(BYOC_SYMBOL, BYOC_X, BYOC_INDEX, BYOC_PLACE) {
  int32_t r, t, e, end;
  (void)mode;
  (void)first;
  (void)target;
  for (r = 0; r < p->rows; ++r, x += p->features, y += p->targets) {
    BYOC_ROLLED
    for (t = 0; t < p->targets; ++t) y[t] = BYOC_START;
    for (t = 0; t < p->roots; ++t) {
      int32_t at = root[t];
      while (at >= 0) at = child[2 * at + !takes_first(BYOC_MODE, x[feature[at]], split[at])];
#if defined(BYOC_ONE_EACH)
      e = -1 - at;
      end = -at;
#else
      e = first[-1 - at];
      end = first[-at];
#endif
      BYOC_ROLLED
      for (; e < end; ++e) {
#if defined(BYOC_ONE_TARGET)
        BYOC_X* sum = y;
#else
        BYOC_X* sum = y + target[e];
#endif
#if defined(BYOC_MIN)
        if (weight[e] < *sum) *sum = weight[e];
#elif defined(BYOC_MAX)
        if (weight[e] > *sum) *sum = weight[e];
#else
        *sum += weight[e];
#endif
      }
    }
#if defined(BYOC_AVERAGE)
    BYOC_ROLLED
    for (t = 0; t < p->targets; ++t) y[t] /= (BYOC_X)p->roots;
#endif
  }
}
