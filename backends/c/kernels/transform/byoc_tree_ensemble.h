/* Decision trees, each walked from its root to a leaf. */
#ifndef BYOC_TREE_ENSEMBLE_H
#define BYOC_TREE_ENSEMBLE_H

#include "byoc_kernel.h"

typedef struct {
  int32_t rows, features, targets, roots;
} byoc_tree_ensemble_t;

/* The mode of a node: how an element is compared with its split; BYOC_TREE_NAN_IS_TRUE is added where NaN takes the
   first child. */
enum {
  BYOC_TREE_LESS_OR_EQUAL,
  BYOC_TREE_LESS,
  BYOC_TREE_GREATER_OR_EQUAL,
  BYOC_TREE_GREATER,
  BYOC_TREE_EQUAL,
  BYOC_TREE_NOT_EQUAL,
  BYOC_TREE_NAN_IS_TRUE = 8
};

/* nodes: feature, mode, child if true, child if false; a child below 0 is leaf -1 - child. Leaf l adds weight[e] to
   target[e], e from first[l] up to first[l + 1]. */
#define BYOC_TREE_ENSEMBLE(name, X)                                                                                  \
  void name(const byoc_tree_ensemble_t* p, const X* x, const X* split, const int32_t(*node)[4], const int32_t* root, \
            const int32_t* first, const int32_t* target, const X* weight, X* y)

#endif
