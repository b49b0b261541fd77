#include "byoc_signal.h"

BYOC_SIGNAL_WINDOW(BYOC_SYMBOL) {
  int32_t row, i;
  for (row = 0; row < p->rows; ++row) {
    for (i = 0; i < p->length; ++i) {
      const int32_t v = ((int32_t)x[i] * window[i]) >> p->shift;
      y[i] = (int16_t)(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
    }
    x += p->length;
    y += p->length;
  }
}
