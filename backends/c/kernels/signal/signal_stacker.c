#include "byoc_signal.h"

BYOC_SIGNAL_STACKER(BYOC_SYMBOL) {
  const int32_t frames = p->left + p->right + 1, begun = *held;
  const int32_t old = begun > 0 ? frames - 1 : p->right;
  int32_t frame, count = begun > 0 ? begun : p->left + 1;
  memmove(y, stack + p->n, (size_t)old * (size_t)p->n * sizeof *y);
  for (frame = old; frame < frames; ++frame) memcpy(y + frame * p->n, x, (size_t)p->n * sizeof *y);
  if (count > frames) count = frames;
  if (valid) *valid = count == frames ? 1u : 0u;
  *now = (count == frames ? count - p->step : count) + 1;
}
