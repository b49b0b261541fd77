/*
 * int8 fully connected layer for any core: four units at a time.
 *
 * Weights: units in fours, [four][depth][4], the last four filled up with zeros.
 */
#include "byoc_fully_connected_s8.h"
#include "byoc_kernel.h"

void BYOC_SYMBOL(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out) {
  int32_t row, unit, k, i;
  for (row = 0; row < p->rows; ++row, in += p->depth, out += p->units) {
    const int8_t* w = p->weights;
    for (unit = 0; unit < p->units; unit += 4) {
      const int32_t n = p->units - unit < 4 ? p->units - unit : 4;
      uint32_t acc[4] = {0, 0, 0, 0};
      for (k = 0; k < p->depth; ++k, w += 4) {
        const int32_t x = in[k];
        acc[0] += (uint32_t)(w[0] * x);
        acc[1] += (uint32_t)(w[1] * x);
        acc[2] += (uint32_t)(w[2] * x);
        acc[3] += (uint32_t)(w[3] * x);
      }
      for (i = 0; i < n; ++i)
        out[unit + i] = byoc_requantise(&p->requant, unit + i, acc[i] + (uint32_t)p->requant.bias[unit + i]);
    }
  }
}
