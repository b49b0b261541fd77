#include <math.h>

#include "byoc_svdf.h"

BYOC_SVDF(BYOC_SYMBOL, float, float, float) {
  int32_t b, u, r, i;
  for (b = 0; b < p->batch; ++b) {
    const float *w = feature, *t = time;
    for (u = 0; u < p->units; ++u) {
      float total = bias ? bias[u] : 0.0f;
      for (r = 0; r < p->rank; ++r) {
        float sum = 0.0f;
        for (i = 0; i < p->depth; ++i) sum += w[i] * x[i];
        /* Upwards, so that the rows may be the same. */
        for (i = 0; i + 1 < p->memory; ++i) next[i] = state[i + 1];
        next[i] = sum;
        sum = 0.0f;
        for (i = 0; i < p->memory; ++i) sum += t[i] * next[i];
        total += sum;
        w += p->depth;
        t += p->memory;
        state += p->memory;
        next += p->memory;
      }
      if (p->activation == 1) total = total < p->low ? p->low : total > p->high ? p->high : total;
      if (p->activation == 2) total = tanhf(total);
      *y++ = total;
    }
    x += p->depth;
  }
}
