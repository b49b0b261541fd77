/*
 * int8 fully connected layer for any core: four units at a time.
 *
 * Weights: [unit][depth], as they are; with BYOC_WEIGHT_BITS of 4 or 2 each unit begins at a byte.
 */
#include "byoc_channel.h"
#include "byoc_fully_connected_s8.h"
#include "byoc_kernel.h"
#include "byoc_weight.h"
#if BYOC_WEIGHT_BITS == 8
#include "byoc_dot_s8.h"
#else
#include "byoc_dot_packed.h"
#endif

void BYOC_SYMBOL(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t depth = p->depth, units = p->units;
  int8_t* const start = out;
  int32_t row, unit, i;
  for (row = p->rows; row > 0; --row, in += depth) {
    const int8_t* w = p->weights;
    for (unit = 0; unit < units;) {
      const int8_t* rows[4];
      uint32_t acc[4];
      /* Units that are not there repeat the last one. */
      for (i = 0; i < 4; ++i) {
        const int32_t at = unit + i < units ? unit + i : units - 1;
        rows[i] = w + at * BYOC_WEIGHT_BYTES(depth);
        acc[i] = (uint32_t)r.bias[at];
      }
      byoc_dot_1x4(rows, in, depth, acc);
      for (i = 0; i < 4 && unit < units; ++i, ++unit) *out++ = byoc_result(&r, byoc_channel(&r, unit), unit, acc[i]);
    }
  }
  byoc_finish(&r, start, p->rows * units);
}
