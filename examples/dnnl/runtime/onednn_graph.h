/* A graph of layers as data: what the plug-in writes and the runtime reads when a model is opened. Numbers are of the
 * machine's own byte order. */
#ifndef ONEDNN_GRAPH_H
#define ONEDNN_GRAPH_H

#include <stdint.h>

#define ONEDNN_GRAPH_MAGIC 0x3147444f /* "ODG1" */

enum {
  ONEDNN_CONVOLUTION = 1,
  ONEDNN_DENSE,
  ONEDNN_NORMALISATION,
  ONEDNN_MAXIMUM,
  ONEDNN_AVERAGE,        /* padding does not count */
  ONEDNN_AVERAGE_PADDED, /* padding counts */
  ONEDNN_ADD,
  ONEDNN_ELEMENTWISE,
  ONEDNN_REORDER
};

enum { ONEDNN_NONE, ONEDNN_RELU, ONEDNN_CLIP };

enum { ONEDNN_INPUT, ONEDNN_OUTPUT, ONEDNN_WORKSPACE, ONEDNN_CONSTANT };

/* A tensor as a layer looks at it. */
typedef struct {
  int32_t place; /* ONEDNN_INPUT ... */
  int32_t rank;  /* 0: not there */
  int64_t at;    /* which input, output or constant; of the workspace: the offset in bytes */
  int64_t dims[5], strides[5];
} onednn_tensor_t;

typedef struct {
  int32_t kind, activation; /* ONEDNN_CONVOLUTION ..., ONEDNN_NONE ... */
  float low, high;          /* of ONEDNN_CLIP */
  float epsilon;            /* of a normalisation */
  int32_t reserved;
  onednn_tensor_t input, second, output;
  onednn_tensor_t constants[4]; /* weights and bias; of a normalisation mean, variance, scale, shift */
  int64_t strides[2], dilations[2], begin[2], end[2], kernel[2];
  uint64_t weights_at, weights_bytes; /* where weights in oneDNN's own layout may lie in the instance */
} onednn_graph_layer_t;

typedef struct {
  uint32_t magic;
  uint32_t layer_count;
  uint64_t layer_bytes; /* sizeof(onednn_graph_layer_t) of the writer */
} onednn_graph_t;       /* followed by the layers */

#endif
