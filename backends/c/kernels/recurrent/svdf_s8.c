/* BYOC_STATE: int16_t or int8_t, with its range BYOC_STATE_LOW to BYOC_STATE_HIGH. Sums wrap around, as the
   reference's do. */
#include "byoc_requant.h"
#include "byoc_svdf.h"

BYOC_SVDF(BYOC_SYMBOL, int8_t, BYOC_STATE, int32_t) {
  int32_t b, u, r, i;
  for (b = 0; b < p->batch; ++b) {
    const int8_t* w = feature;
    const BYOC_STATE* t = time;
    for (u = 0; u < p->units; ++u) {
      uint32_t total = bias ? (uint32_t)bias[u] : 0u;
      int32_t result;
      for (r = 0; r < p->rank; ++r) {
        uint32_t sum = 0u;
        int32_t newest;
        for (i = 0; i < p->depth; ++i) sum += (uint32_t)(w[i] * (x[i] - p->x_zero));
        newest = byoc_multiply_q31((int32_t)sum, p->to_state, p->to_state_shift);
        newest = byoc_clamp(newest, BYOC_STATE_LOW - p->state_zero, BYOC_STATE_HIGH - p->state_zero) + p->state_zero;
        /* Upwards, so that the rows may be the same. */
        for (i = 0; i + 1 < p->memory; ++i) next[i] = state[i + 1];
        next[i] = (BYOC_STATE)newest;
        for (i = 0; i < p->memory; ++i) total += (uint32_t)t[i] * (uint32_t)(next[i] - p->state_zero);
        w += p->depth;
        t += p->memory;
        state += p->memory;
        next += p->memory;
      }
      result = byoc_multiply_q31((int32_t)total, p->to_y, p->to_y_shift);
      *y++ = (int8_t)(byoc_clamp(result, -128 - p->y_zero, 127 - p->y_zero) + p->y_zero);
    }
    x += p->depth;
  }
}
