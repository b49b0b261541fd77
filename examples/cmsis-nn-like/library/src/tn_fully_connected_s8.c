#include "tn_support.h"

void tn_fully_connected_s8(const tn_layer* p, const int8_t* in, const int8_t* weights, const int32_t* bias,
                           const tn_scale* scales, int8_t* out) {
  for (int32_t b = 0; b < p->in.batch; ++b, in += p->in.channels)
    for (int32_t u = 0; u < p->out.channels; ++u) {
      const int8_t* row = weights + (int64_t)u * p->in.channels;
      int32_t total = bias[u];
      for (int32_t i = 0; i < p->in.channels; ++i) total += (in[i] - p->in_zero) * row[i];
      *out++ = (int8_t)tn_clamp(tn_scaled(total, scales[u]) + p->out_zero, p->low, p->high);
    }
}
