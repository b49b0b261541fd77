/* The runtime of serialised graphs. */
#ifndef ONEDNN_GRAPH_RUNTIME_H
#define ONEDNN_GRAPH_RUNTIME_H

#include "onednn_layer.h"

/* Makes the layers of a graph. `constants` are what its constant tensors mean; weights in oneDNN's own layout go to
 * `instance` + weights_at. Returns 0, or what oneDNN returned. */
int32_t onednn_graph_open(const uint8_t* graph, const void* const* constants, onednn_context_t* context,
                          onednn_layer_t* layers, uint8_t* instance);

/* Runs them, one after the other. */
int32_t onednn_graph_run(const uint8_t* graph, onednn_context_t* context, onednn_layer_t* layers,
                         const void* const* inputs, void* const* outputs, uint8_t* workspace);

/* Layer n of a graph; NULL if the bytes are no graph of this runtime's. */
static inline const onednn_graph_layer_t* onednn_graph_layer(const uint8_t* graph, uint32_t n) {
  const onednn_graph_t* header = (const onednn_graph_t*)(const void*)graph;
  if (header->magic != ONEDNN_GRAPH_MAGIC || header->layer_bytes != sizeof(onednn_graph_layer_t)) return NULL;
  return (const onednn_graph_layer_t*)(const void*)(graph + sizeof *header) + n;
}

#endif
