/* BYOC_TO: the element type of the results. y may be x where both have one size. */
#include "byoc_quantise.h"

BYOC_LOOKUP(BYOC_SYMBOL, BYOC_TO) {
  const uint8_t* from = (const uint8_t*)x;
  int32_t i;
  for (i = 0; i < count; ++i) y[i] = table[from[i]];
}
