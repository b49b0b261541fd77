/* Layers of oneDNN that are made once, when the model is opened, and then only run. C99 and oneDNN's C API. */
#ifndef ONEDNN_LAYER_H
#define ONEDNN_LAYER_H

#include <oneapi/dnnl/dnnl.h>
#include <stdint.h>
#include <string.h>

#include "onednn_graph.h"

#if DNNL_VERSION_MAJOR != 2
#error "this code is for oneDNN 2"
#endif

#define ONEDNN_ARGUMENTS 6

#define ONEDNN_TRY(call)                       \
  do {                                         \
    const dnnl_status_t status = (call);       \
    if (status != dnnl_success) return status; \
  } while (0)

/* A primitive and its arguments: first those that are given anew in each run, then the constants. */
typedef struct {
  dnnl_primitive_t primitive;
  int64_t count;
  dnnl_exec_arg_t arguments[ONEDNN_ARGUMENTS];
} onednn_layer_t;

typedef struct {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
} onednn_context_t;

/* What may be fused behind a layer. `second` may be NULL. */
static inline dnnl_status_t onednn_attributes(dnnl_primitive_attr_t* attr, const dnnl_memory_desc_t* second,
                                              int32_t activation, float low, float high) {
  dnnl_post_ops_t ops = NULL;
  dnnl_status_t status = dnnl_success;
  ONEDNN_TRY(dnnl_primitive_attr_create(attr));
  ONEDNN_TRY(dnnl_post_ops_create(&ops));
  if (second != NULL) status = dnnl_post_ops_append_binary(ops, dnnl_binary_add, second);
  if (status == dnnl_success && activation == ONEDNN_RELU)
    status = dnnl_post_ops_append_eltwise(ops, 1.0F, dnnl_eltwise_relu, 0.0F, 0.0F);
  if (status == dnnl_success && activation == ONEDNN_CLIP)
    status = dnnl_post_ops_append_eltwise(ops, 1.0F, dnnl_eltwise_clip, low, high);
  if (status == dnnl_success) status = dnnl_primitive_attr_set_post_ops(*attr, ops);
  dnnl_post_ops_destroy(ops);
  return status;
}

/* Makes the primitive of an operation. What it says of its weights is asked before the description goes. */
static inline dnnl_status_t onednn_create(onednn_layer_t* layer, onednn_context_t* context, const_dnnl_op_desc_t op,
                                          dnnl_primitive_attr_t attr, dnnl_memory_desc_t* weights) {
  dnnl_primitive_desc_t description = NULL;
  dnnl_status_t status = dnnl_primitive_desc_create(&description, op, attr, context->engine, NULL);
  if (attr != NULL) dnnl_primitive_attr_destroy(attr);
  if (status != dnnl_success) return status;
  if (weights != NULL) *weights = *dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0);
  status = dnnl_primitive_create(&layer->primitive, description);
  dnnl_primitive_desc_destroy(description);
  return status;
}

/* The next argument. `data` NULL: given in each run. */
static inline dnnl_status_t onednn_argument(onednn_layer_t* layer, onednn_context_t* context, int argument,
                                            const dnnl_memory_desc_t* desc, const void* data) {
  dnnl_exec_arg_t* next = &layer->arguments[layer->count];
  next->arg = argument;
  ONEDNN_TRY(dnnl_memory_create(&next->memory, desc, context->engine, (void*)(uintptr_t)data));
  ++layer->count;
  return dnnl_success;
}

/* A primitive that copies from one layout to another. */
static inline dnnl_status_t onednn_create_reorder(dnnl_primitive_t* primitive, onednn_context_t* context,
                                                  const dnnl_memory_desc_t* from, const dnnl_memory_desc_t* to) {
  dnnl_primitive_desc_t description = NULL;
  dnnl_status_t status =
      dnnl_reorder_primitive_desc_create(&description, from, context->engine, to, context->engine, NULL);
  if (status != dnnl_success) return status;
  status = dnnl_primitive_create(primitive, description);
  dnnl_primitive_desc_destroy(description);
  return status;
}

/* Weights as an argument, brought into the layout `wanted` at `place` once. Weights that have it already stay where
 * they are; where a layout needs more than `bytes`, oneDNN allocates. */
static inline dnnl_status_t onednn_weights(onednn_layer_t* layer, onednn_context_t* context,
                                           const dnnl_memory_desc_t* plain, const dnnl_memory_desc_t* wanted,
                                           const void* data, void* place, size_t bytes) {
  onednn_layer_t reorder;
  dnnl_status_t status = dnnl_success;
  if (dnnl_memory_desc_equal(plain, wanted)) return onednn_argument(layer, context, DNNL_ARG_WEIGHTS, plain, data);
  ONEDNN_TRY(onednn_argument(layer, context, DNNL_ARG_WEIGHTS, wanted,
                             dnnl_memory_desc_get_size(wanted) <= bytes ? place : DNNL_MEMORY_ALLOCATE));
  memset(&reorder, 0, sizeof reorder);
  status = onednn_create_reorder(&reorder.primitive, context, plain, wanted);
  if (status == dnnl_success) status = onednn_argument(&reorder, context, DNNL_ARG_FROM, plain, data);
  if (status == dnnl_success) {
    reorder.arguments[1].arg = DNNL_ARG_TO;
    reorder.arguments[1].memory = layer->arguments[layer->count - 1].memory;
    status = dnnl_primitive_execute(reorder.primitive, context->stream, 2, reorder.arguments);
  }
  if (status == dnnl_success) status = dnnl_stream_wait(context->stream);
  if (reorder.count == 1) dnnl_memory_destroy(reorder.arguments[0].memory);
  if (reorder.primitive != NULL) dnnl_primitive_destroy(reorder.primitive);
  return status;
}

/* Runs a layer on the data of its first arguments. */
static inline int32_t onednn_run(onednn_layer_t* layer, onednn_context_t* context, void* const* data, int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) ONEDNN_TRY(dnnl_memory_set_data_handle(layer->arguments[i].memory, data[i]));
  ONEDNN_TRY(dnnl_primitive_execute(layer->primitive, context->stream, (int)layer->count, layer->arguments));
  return dnnl_stream_wait(context->stream);
}

static inline dnnl_status_t onednn_open(onednn_context_t* context) {
  ONEDNN_TRY(dnnl_engine_create(&context->engine, dnnl_cpu, 0));
  return dnnl_stream_create(&context->stream, context->engine, dnnl_stream_default_flags);
}

/* Ends what was made, as far as it got. */
static inline int32_t onednn_close(onednn_context_t* context, onednn_layer_t* layers, int32_t count) {
  int32_t i;
  int64_t k;
  for (i = 0; i < count; ++i) {
    for (k = 0; k < layers[i].count; ++k) dnnl_memory_destroy(layers[i].arguments[k].memory);
    if (layers[i].primitive != NULL) dnnl_primitive_destroy(layers[i].primitive);
    memset(&layers[i], 0, sizeof layers[i]);
  }
  if (context->stream != NULL) dnnl_stream_destroy(context->stream);
  if (context->engine != NULL) dnnl_engine_destroy(context->engine);
  memset(context, 0, sizeof *context);
  return 0;
}

#endif
