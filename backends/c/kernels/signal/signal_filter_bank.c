#include "byoc_signal.h"

/* Each band rises in the channel before by its weights and falls in its own by its unweights. */
BYOC_SIGNAL_FILTER_BANK(BYOC_SYMBOL) {
  uint64_t falling = 0u;
  int32_t band, j;
  for (band = 0; band <= channels; ++band) {
    const uint32_t* from = x + bins[band];
    const int16_t *w = weights + places[band], *u = unweights + places[band];
    uint64_t rising = falling;
    falling = 0u;
    for (j = 0; j < widths[band]; ++j) {
      rising += (uint64_t)((int64_t)w[j] * from[j]);
      falling += (uint64_t)((int64_t)u[j] * from[j]);
    }
    if (band > 0) y[band - 1] = rising;
  }
}
