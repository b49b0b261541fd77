/* The first question: which nodes can the codegen compile, and if not, why. */
#ifndef BYOC_ABI_VERDICT_H
#define BYOC_ABI_VERDICT_H

#include "byoc/abi/base.h"
#include "byoc/abi/graph.h"
#include "byoc/abi/target.h"

/* Why a node is refused. */
#define BYOC_REASON_NONE 0u
#define BYOC_REASON_OP 1u           /* no such operator, or not this version of it */
#define BYOC_REASON_DTYPE 2u        /* not these element types */
#define BYOC_REASON_ATTRIBUTE 3u    /* not this attribute's value */
#define BYOC_REASON_SHAPE 4u        /* not these shapes */
#define BYOC_REASON_QUANTISATION 5u /* not these scales, zero points, or axis */
#define BYOC_REASON_NOT_CONSTANT 6u /* an operand that has to be a constant is none */
#define BYOC_REASON_TARGET 7u       /* not for this target */
#define BYOC_REASON_OPTION 8u       /* an option of the user's excludes it */
#define BYOC_REASON_MEMORY 9u       /* it does not fit the device's memories */
#define BYOC_REASON_COST 10u        /* it could, but it would not pay */
#define BYOC_REASON_GROUP 11u       /* only as part of a group */
#define BYOC_REASON_VENDOR 0x10000u /* and above: the plug-in's own */

/* The closeness of results to the evaluator of the SDK, which follows the source framework. */
#define BYOC_EXACT 0u    /* the same bits; for floats: in the same order of operations */
#define BYOC_LSB 1u      /* quantised: off by at most `tolerance` steps of the output's scale */
#define BYOC_ULP 2u      /* floats: off by at most `tolerance` units in the last place */
#define BYOC_RELATIVE 3u /* floats: |found - expected| <= tolerance * max(1, |expected|) */

typedef struct byoc_verdict {
  uint32_t struct_size;
  uint32_t node;      /* index into the region's nodes; for groups: BYOC_NONE */
  uint32_t claimed;   /* 1: the codegen compiles it; 0: it does not */
  uint32_t reason;    /* BYOC_REASON_...; BYOC_REASON_NONE if claimed */
  byoc_string_t text; /* if not claimed, why, in words for a person: "found int16, expected int8" */
  uint32_t exactness; /* BYOC_EXACT ... */
  int32_t priority;   /* larger is preferred, after the user's own order; 0 where it does not matter */
  double tolerance;   /* of exactness */
  double cost;        /* estimated cycles of one run on this target; 0: not known */
} byoc_verdict_t;

/* The receiver of verdicts. Functions: during byoc_plugin_t::verdicts only, thread of the call only. */
typedef struct byoc_claims byoc_claims_t;
struct byoc_claims {
  uint32_t struct_size;
  uint32_t reserved0;
  void* context;

  /* The verdict on one node. Exactly one for every node; one that is missing or told twice fails the export with the
   * plug-in's name. BYOC_INVALID_ARGUMENT: no such node, an unknown code, a refusal without text. */
  byoc_status_t (*node)(const byoc_claims_t* claims, const byoc_verdict_t* verdict);

  /* Offers to compile `nodes` (ascending) as one: all of them or none. Groups are tried before single nodes, in the
   * order in which they were told; a group that is not convex or whose nodes went elsewhere is not granted, and the
   * verdicts on its single nodes stand. `pattern` is the index of a declared pattern or BYOC_NONE. */
  byoc_status_t (*group)(const byoc_claims_t* claims, const uint32_t* nodes, uint32_t node_count, uint32_t pattern,
                         const byoc_verdict_t* verdict);
};

/* A match of a declared pattern. */
typedef struct byoc_match {
  uint32_t struct_size;
  uint32_t pattern;      /* index into byoc_plugin_t::patterns */
  const uint32_t* nodes; /* one for each node of the pattern; BYOC_NONE for an optional one that is missing */
  uint32_t node_count;
  uint32_t reserved0;
} byoc_match_t;

typedef struct byoc_verdict_request {
  uint32_t struct_size;
  uint32_t match_count;
  const byoc_region_t* model; /* the whole graph */
  const byoc_target_t* target;
  const byoc_match_t* const* matches; /* of the declared patterns; may overlap */
  const byoc_claims_t* claims;
} byoc_verdict_request_t;

#endif
