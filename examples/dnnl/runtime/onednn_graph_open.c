#include "onednn_graph_runtime.h"

static dnnl_status_t describe(dnnl_memory_desc_t* desc, const onednn_tensor_t* tensor) {
  return dnnl_memory_desc_init_by_strides(desc, tensor->rank, tensor->dims, dnnl_f32, tensor->strides);
}

/* Any layout of the same dimensions: oneDNN chooses. */
static dnnl_status_t describe_any(dnnl_memory_desc_t* desc, const onednn_tensor_t* tensor) {
  return dnnl_memory_desc_init_by_tag(desc, tensor->rank, tensor->dims, dnnl_f32, dnnl_format_tag_any);
}

/* What the layers need to describe themselves. */
typedef union {
  dnnl_convolution_desc_t convolution;
  dnnl_inner_product_desc_t dense;
  dnnl_batch_normalization_desc_t normalisation;
  dnnl_pooling_desc_t pool;
  dnnl_binary_desc_t add;
  dnnl_eltwise_desc_t elementwise;
} operation_t;

/* Filters of one group have no dimension for it. */
static void drop_group(onednn_tensor_t* filter) {
  int32_t i;
  if (filter->rank != 5 || filter->dims[0] != 1) return;
  for (i = 0; i < 4; ++i) {
    filter->dims[i] = filter->dims[i + 1];
    filter->strides[i] = filter->strides[i + 1];
  }
  filter->rank = 4;
}

static dnnl_status_t initialise(operation_t* op, const onednn_graph_layer_t* l, const dnnl_memory_desc_t* x,
                                const dnnl_memory_desc_t* second, const dnnl_memory_desc_t* w,
                                const dnnl_memory_desc_t* bias, const dnnl_memory_desc_t* y) {
  switch (l->kind) {
    case ONEDNN_CONVOLUTION:
      return dnnl_dilated_convolution_forward_desc_init(&op->convolution, dnnl_forward_inference,
                                                        dnnl_convolution_direct, x, w, bias, y, l->strides,
                                                        l->dilations, l->begin, l->end);
    case ONEDNN_DENSE: return dnnl_inner_product_forward_desc_init(&op->dense, dnnl_forward_inference, x, w, bias, y);
    case ONEDNN_NORMALISATION:
      return dnnl_batch_normalization_forward_desc_init(&op->normalisation, dnnl_forward_inference, x, l->epsilon,
                                                        dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift);
    case ONEDNN_MAXIMUM:
    case ONEDNN_AVERAGE:
    case ONEDNN_AVERAGE_PADDED:
      return dnnl_pooling_forward_desc_init(&op->pool, dnnl_forward_inference,
                                            l->kind == ONEDNN_MAXIMUM   ? dnnl_pooling_max
                                            : l->kind == ONEDNN_AVERAGE ? dnnl_pooling_avg_exclude_padding
                                                                        : dnnl_pooling_avg_include_padding,
                                            x, y, l->strides, l->kernel, l->begin, l->end);
    case ONEDNN_ADD: return dnnl_binary_desc_init(&op->add, dnnl_binary_add, x, second, y);
    case ONEDNN_ELEMENTWISE:
      return dnnl_eltwise_forward_desc_init(&op->elementwise, dnnl_forward_inference, dnnl_eltwise_relu, x, 0.0F, 0.0F);
    default: return dnnl_unimplemented;
  }
}

static dnnl_status_t open_layer(const onednn_graph_layer_t* l, const void* const* constants, onednn_context_t* context,
                                onednn_layer_t* layer, uint8_t* instance) {
  static const int of_norm[4] = {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
  dnnl_memory_desc_t x, second, y, w, any, wanted, bias;
  dnnl_primitive_attr_t attr = NULL;
  onednn_tensor_t filter = l->constants[0];
  operation_t op;
  const int has_weights = l->kind == ONEDNN_CONVOLUTION || l->kind == ONEDNN_DENSE;
  const int is_fused_sum = l->kind == ONEDNN_CONVOLUTION && l->second.rank != 0;
  const int has_bias = has_weights && l->constants[1].rank != 0;
  int32_t i;
  ONEDNN_TRY(describe(&x, &l->input));
  ONEDNN_TRY(describe(&y, &l->output));
  if (l->second.rank != 0) ONEDNN_TRY(describe(&second, &l->second));
  if (l->kind == ONEDNN_REORDER) {
    ONEDNN_TRY(onednn_create_reorder(&layer->primitive, context, &x, &y));
    ONEDNN_TRY(onednn_argument(layer, context, DNNL_ARG_FROM, &x, NULL));
    return onednn_argument(layer, context, DNNL_ARG_TO, &y, NULL);
  }
  if (has_weights) {
    drop_group(&filter);
    ONEDNN_TRY(describe(&w, &filter));
    ONEDNN_TRY(describe_any(&any, &filter));
    if (has_bias) ONEDNN_TRY(describe(&bias, &l->constants[1]));
  }
  ONEDNN_TRY(initialise(&op, l, &x, &second, &any, has_bias ? &bias : NULL, &y));
  if (l->kind != ONEDNN_ELEMENTWISE && (is_fused_sum || l->activation != ONEDNN_NONE))
    ONEDNN_TRY(onednn_attributes(&attr, is_fused_sum ? &second : NULL, l->activation, l->low, l->high));
  ONEDNN_TRY(onednn_create(layer, context, &op, attr, has_weights ? &wanted : NULL));
  ONEDNN_TRY(onednn_argument(layer, context, DNNL_ARG_SRC, &x, NULL));
  if (l->second.rank != 0)
    ONEDNN_TRY(onednn_argument(layer, context,
                               is_fused_sum ? DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1 : DNNL_ARG_SRC_1,
                               &second, NULL));
  ONEDNN_TRY(onednn_argument(layer, context, DNNL_ARG_DST, &y, NULL));
  if (has_weights)
    ONEDNN_TRY(onednn_weights(layer, context, &w, &wanted, constants[l->constants[0].at], instance + l->weights_at,
                              (size_t)l->weights_bytes));
  if (has_bias) ONEDNN_TRY(onednn_argument(layer, context, DNNL_ARG_BIAS, &bias, constants[l->constants[1].at]));
  for (i = 0; i < 4 && l->kind == ONEDNN_NORMALISATION; ++i) {
    ONEDNN_TRY(describe(&bias, &l->constants[i]));
    ONEDNN_TRY(onednn_argument(layer, context, of_norm[i], &bias, constants[l->constants[i].at]));
  }
  return dnnl_success;
}

int32_t onednn_graph_open(const uint8_t* graph, const void* const* constants, onednn_context_t* context,
                          onednn_layer_t* layers, uint8_t* instance) {
  const uint32_t count = ((const onednn_graph_t*)(const void*)graph)->layer_count;
  uint32_t n;
  if (onednn_graph_layer(graph, 0) == NULL) return dnnl_invalid_arguments;
  for (n = 0; n < count; ++n)
    ONEDNN_TRY(open_layer(onednn_graph_layer(graph, n), constants, context, &layers[n], instance));
  return dnnl_success;
}
