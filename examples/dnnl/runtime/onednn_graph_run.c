#include "onednn_graph_runtime.h"

int32_t onednn_graph_run(const uint8_t* graph, onednn_context_t* context, onednn_layer_t* layers,
                         const void* const* inputs, void* const* outputs, uint8_t* workspace) {
  const uint32_t count = ((const onednn_graph_t*)(const void*)graph)->layer_count;
  uint32_t n;
  for (n = 0; n < count; ++n) {
    const onednn_graph_layer_t* l = onednn_graph_layer(graph, n);
    const onednn_tensor_t* const tensors[3] = {&l->input, &l->second, &l->output};
    void* data[3];
    int32_t used = 0;
    int32_t i;
    for (i = 0; i < 3; ++i) {
      const onednn_tensor_t* t = tensors[i];
      if (t->rank == 0) continue;
      data[used++] = t->place == ONEDNN_INPUT    ? (void*)(uintptr_t)inputs[t->at]
                     : t->place == ONEDNN_OUTPUT ? outputs[t->at]
                                                 : (void*)(workspace + t->at);
    }
    ONEDNN_TRY(onednn_run(&layers[n], context, data, used));
  }
  return dnnl_success;
}
