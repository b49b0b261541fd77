#include "byoc_signal.h"

BYOC_SIGNAL_FRAMER(BYOC_SYMBOL) {
  const int32_t steps = p->length / p->step, begun = *seen < 0 ? 0 : *seen;
  int32_t row, frame;
  for (row = 0; row < p->rows; ++row) {
    for (frame = 0; frame < steps; ++frame) {
      const int32_t start = frame * p->step - p->before; /* in x; before it lies the history */
      const int32_t old = start >= 0 ? 0 : -start < p->size ? -start : p->size;
      if (old > 0) memcpy(y, history + p->kept + start, (size_t)old * sizeof *y);
      if (old < p->size) memcpy(y + old, x + start + old, (size_t)(p->size - old) * sizeof *y);
      y += p->size;
    }
    if (p->length >= p->kept) {
      memcpy(next, x + p->length - p->kept, (size_t)p->kept * sizeof *next);
    } else {
      const int32_t old = p->kept - p->length;
      memmove(next, history + p->length, (size_t)old * sizeof *next);
      memcpy(next + old, x, (size_t)p->length * sizeof *next);
    }
    x += p->length;
    history += p->kept;
    next += p->kept;
  }
  if (valid) *valid = begun >= p->warm_up ? 1u : 0u;
  *now = begun >= p->warm_up || steps >= p->warm_up - begun ? p->warm_up : begun + steps;
}
