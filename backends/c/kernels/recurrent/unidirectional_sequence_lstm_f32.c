#include <math.h>

#include "byoc_unidirectional_sequence_lstm.h"

static float dot(const float* w, const float* x, int32_t n) {
  float sum = 0.0f;
  int32_t i;
  for (i = 0; i < n; ++i) sum += w[i] * x[i];
  return sum;
}

BYOC_LSTM_F32(BYOC_SYMBOL) {
  const int32_t n = p->units;
  int32_t b, t, u, k;
  for (b = 0; b < p->batch; ++b) {
    /* The hidden state is y of the step before. */
    const float *h = hidden + (byoc_offset_t)b * n, *c = cell + (byoc_offset_t)b * n;
    float* next_c = next_cell + (byoc_offset_t)b * n;
    for (t = 0; t < p->steps; ++t) {
      const float* x_t = x + (byoc_offset_t)b * p->x_batch + (byoc_offset_t)t * p->x_time;
      float* y_t = y + (byoc_offset_t)b * p->y_batch + (byoc_offset_t)t * p->y_time;
      for (u = 0; u < n; ++u) {
        float gate[4], v;
        for (k = 0; k < 4; ++k) {
          v = dot(w[k] + (byoc_offset_t)u * p->depth, x_t, p->depth) + bias[k][u];
          v += dot(r[k] + (byoc_offset_t)u * n, h, n);
          gate[k] = k == 2 ? tanhf(v) : 1.0f / (1.0f + expf(-v));
        }
        v = gate[1] * c[u] + gate[0] * gate[2];
        if (p->clips) v = v < -p->clip ? -p->clip : v > p->clip ? p->clip : v;
        next_c[u] = v;
        y_t[u] = gate[3] * tanhf(v);
      }
      h = y_t;
      c = next_c;
    }
    if (h != next_hidden + (byoc_offset_t)b * n)
      for (u = 0; u < n; ++u) next_hidden[(byoc_offset_t)b * n + u] = h[u];
    if (c != next_c)
      for (u = 0; u < n; ++u) next_c[u] = c[u];
  }
}
