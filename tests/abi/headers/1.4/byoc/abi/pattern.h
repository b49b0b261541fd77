/* Patterns of nodes that a plug-in compiles as one, declared as data. The host finds their matches and offers them with
 * the graph (byoc_verdict_request_t::matches); the plug-in claims those it wants as groups. A plug-in may as well find
 * groups by itself. */
#ifndef BYOC_ABI_PATTERN_H
#define BYOC_ABI_PATTERN_H

#include "byoc/abi/base.h"

/* Inputs of a pattern node: >= 0 is the index of an earlier pattern node whose first output it reads; or */
#define BYOC_PATTERN_ANY (-1)      /* anything, given or not */
#define BYOC_PATTERN_CONSTANT (-2) /* a constant */
#define BYOC_PATTERN_ABSENT (-3)   /* not given */

#define BYOC_PATTERN_OPTIONAL 1u    /* may be missing: then its first input that is a pattern node stands for it */
#define BYOC_PATTERN_COMMUTATIVE 2u /* the first two inputs match in either order */

typedef struct byoc_pattern_node {
  uint32_t struct_size;
  uint32_t flags; /* BYOC_PATTERN_... */
  byoc_string_t domain;
  byoc_string_t op;
  const int32_t* inputs; /* inputs beyond input_count match anything */
  uint32_t input_count;
  uint32_t reserved0;
} byoc_pattern_node_t;

/* Declared in static storage. The last node is the root; what the others compute must be read inside the match only.
 * Matches of earlier patterns are preferred, larger before smaller within one pattern. */
typedef struct byoc_pattern {
  uint32_t struct_size;
  uint32_t node_count;
  byoc_string_t name; /* "conv_bias_relu"; for reports */
  const byoc_pattern_node_t* const* nodes;
} byoc_pattern_t;

#endif
