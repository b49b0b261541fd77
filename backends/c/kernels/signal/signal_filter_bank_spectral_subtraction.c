#include "byoc_signal.h"

BYOC_SIGNAL_SUBTRACTION(BYOC_SYMBOL) {
  int32_t i;
  for (i = 0; i < p->n; ++i) {
    const uint32_t given = x[i], signal = given << p->smoothing_bits;
    const uint32_t average =
        (uint32_t)(((uint64_t)signal * p->smoothing[i & 1] + (uint64_t)noise[i] * p->rest[i & 1]) >>
                   p->subtraction_bits);
    const uint32_t taken_off = average > signal ? signal : average;
    const uint32_t least = (uint32_t)(((uint64_t)given * p->remaining) >> p->subtraction_bits);
    const uint32_t left = (signal - taken_off) >> p->smoothing_bits;
    next[i] = p->clamping ? taken_off : average;
    y[i] = left > least ? left : least;
  }
}
