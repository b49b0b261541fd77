#include "byoc_signal.h"

BYOC_SIGNAL_ENERGY(BYOC_SYMBOL) {
  int32_t i;
  for (i = 0; i < p->start; ++i) y[i] = 0u;
  for (; i < p->end; ++i) {
    const int32_t re = x[2 * i], im = x[2 * i + 1];
    y[i] = (uint32_t)(re * re) + (uint32_t)(im * im);
  }
  for (; i < p->bins; ++i) y[i] = 0u;
}
