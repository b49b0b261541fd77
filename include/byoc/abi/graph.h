/* The graph as a plug-in sees it: read-only, filled in by the host, alive for the call that hands it over.
 *
 * SSA values and the nodes that compute them, in topological order. Operators have ONNX's names and attributes (domain
 * ""); what ONNX lacks is in domain "byoc". Quantisation is on the values: a quantised convolution is a Conv whose
 * values have dtype i8 and a quantisation, whichever format it came from. */
#ifndef BYOC_ABI_GRAPH_H
#define BYOC_ABI_GRAPH_H

#include "byoc/abi/base.h"

/* real = scale * (q - zero_point). Per tensor: axis -1, one of each. Per axis: one of each for every index of axis. */
typedef struct byoc_quantisation {
  uint32_t struct_size;
  int32_t axis;
  const float* scales;
  const int64_t* zero_points;
  uint32_t count; /* of scales, and of zero_points */
  uint32_t reserved0;
} byoc_quantisation_t;

#define BYOC_VALUE_CONSTANT 1u /* data is there */
#define BYOC_VALUE_STATE 2u    /* a variable of the instance: keeps its contents between runs, never overlaid */

typedef struct byoc_value {
  uint32_t struct_size;
  uint32_t dtype;      /* BYOC_F32 ... */
  byoc_string_t name;  /* as the model says: any bytes, may be empty or shared; not an identifier */
  uint64_t flags;      /* BYOC_VALUE_... */
  const int64_t* dims; /* row-major; d < 0: open, the symbol byoc_region_t::symbols[-1 - d] */
  uint32_t rank;
  uint32_t reserved0;
  const byoc_quantisation_t* quantisation; /* NULL: not quantised */
  const void* data;   /* constants: row-major, little-endian, mapped from the model; at least aligned as its element */
  uint64_t data_size; /* bytes */
  int64_t source_index; /* position in the source's own tensor table (TFLite); -1: it has none */
} byoc_value_t;

#define BYOC_ATTRIBUTE_INTEGER 1u
#define BYOC_ATTRIBUTE_REAL 2u
#define BYOC_ATTRIBUTE_TEXT 3u
#define BYOC_ATTRIBUTE_INTEGERS 4u
#define BYOC_ATTRIBUTE_REALS 5u
#define BYOC_ATTRIBUTE_TEXTS 6u

typedef struct byoc_attribute {
  uint32_t struct_size;
  uint32_t kind;      /* BYOC_ATTRIBUTE_...: which of the members below is set */
  byoc_string_t name; /* ONNX's */
  int64_t integer;
  float real;
  uint32_t count; /* of integers, reals or texts */
  byoc_string_t text;
  const int64_t* integers;
  const float* reals;
  const byoc_string_t* texts;
} byoc_attribute_t;

typedef struct byoc_node {
  uint32_t struct_size;
  uint32_t attribute_count;
  byoc_string_t name;      /* as the model says; may be empty */
  byoc_string_t domain;    /* "" is ai.onnx */
  byoc_string_t op;        /* "Conv" */
  int64_t version;         /* of the operator set that the node follows: the opset of its domain */
  int64_t position;        /* among the source's operators, for reports; -1: not known */
  const uint32_t* inputs;  /* indexes into byoc_region_t::values; BYOC_NONE: an optional input that is not given */
  const uint32_t* outputs; /* BYOC_NONE: an output that is not wanted */
  uint32_t input_count;
  uint32_t output_count;
  const byoc_attribute_t* const* attributes; /* sorted by name */
} byoc_node_t;

/* Nodes that were claimed together (byoc_claims_t::group) and all granted. */
typedef struct byoc_group {
  uint32_t struct_size;
  uint32_t pattern;      /* index of the plug-in's declared pattern; BYOC_NONE: the plug-in grouped them by itself */
  const uint32_t* nodes; /* indexes into byoc_region_t::nodes, ascending */
  uint32_t node_count;
  uint32_t reserved0;
} byoc_group_t;

/* The rounding of quantised operators. */
#define BYOC_REQUANT_TFLITE 0u /* Q31 multiplier, rounded doubling high multiplication, rounded shift */
#define BYOC_REQUANT_ONNX 1u   /* float scale, one rounding half to even */

/* A convex part of the model; when verdicts are asked for, the whole model. */
typedef struct byoc_region {
  uint32_t struct_size;
  uint32_t requant;   /* BYOC_REQUANT_... */
  byoc_string_t name; /* for file names and diagnostics; not an identifier */
  const byoc_value_t* const* values;
  const byoc_node_t* const* nodes; /* topological order */
  uint32_t value_count;
  uint32_t node_count;
  const uint32_t* inputs;  /* values computed outside and read here, constants not among them */
  const uint32_t* outputs; /* values computed here and read outside, or given out by the model */
  uint32_t input_count;
  uint32_t output_count;
  const byoc_group_t* const* groups; /* granted groups that lie in this region; none when verdicts are asked for */
  const byoc_string_t* symbols;      /* names of open dims; none without BYOC_CAP_OPEN_DIMS */
  uint32_t group_count;
  uint32_t symbol_count;
} byoc_region_t;

#endif
