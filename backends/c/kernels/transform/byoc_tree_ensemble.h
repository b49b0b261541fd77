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

/* Node n has feature[n], mode[n], and child[2 * n] if that is true, child[2 * n + 1] if not; a child below 0 is
   leaf -1 - child. Leaf l adds weight[e] to target[e], e from first[l] up to first[l + 1]. Without mode all nodes
   have the kernel's one mode, without first leaf l has weight l alone, without target there is one. */
#define BYOC_TREE_ENSEMBLE(name, X, INDEX, PLACE)                                                                 \
  void name(const byoc_tree_ensemble_t* p, const X* x, const X* split, const PLACE* feature, const uint8_t* mode, \
            const INDEX* child, const INDEX* root, const INDEX* first, const PLACE* target, const X* weight, X* y)

#endif
