/* Elements lie at their middles; beyond the outermost ones everything is 0. */
#include <math.h>

#include "byoc_affine_sample.h"

/* The shift of a row of the matrix for positions that count from the middle of the first element. */
static float shift_of(const float* m) { return (float)(m[3] + ((double)m[0] * 0.5 + (double)m[1] * 0.5 - 0.5)); }

BYOC_AFFINE_SAMPLE(BYOC_SYMBOL) {
  const float across = shift_of(m), down = shift_of(m + 4);
  const byoc_offset_t line = (byoc_offset_t)p->width * p->channels;
  int32_t row, column, c;
  for (row = 0; row < p->out_height; ++row) {
    for (column = 0; column < p->out_width; ++column, y += p->channels) {
      const float u = m[0] * (float)column + m[1] * (float)row + across;
      const float v = m[4] * (float)column + m[5] * (float)row + down;
      if (u >= 0.0f && u <= (float)(p->width - 1) && v >= 0.0f && v <= (float)(p->height - 1)) {
        const int32_t left = (int32_t)u, top = (int32_t)v;
        const float right = u - (float)left, lower = v - (float)top;
        const float* at = x + (byoc_offset_t)top * line + (byoc_offset_t)left * p->channels;
        const int has_right = left + 1 < p->width, has_below = top + 1 < p->height;
        for (c = 0; c < p->channels; ++c) {
          const float q = has_right ? at[p->channels + c] : 0.0f, r = has_below ? at[line + c] : 0.0f;
          const float s = has_right && has_below ? at[line + p->channels + c] : 0.0f;
          const float above = (1.0f - right) * at[c] + right * q, below = (1.0f - right) * r + right * s;
          y[c] = lower * below + (1.0f - lower) * above;
        }
      } else {
        for (c = 0; c < p->channels; ++c) y[c] = 0.0f;
      }
    }
  }
}
