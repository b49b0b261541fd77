/*
 * Real transforms in fixed point, or float: of pairs of numbers, by a complex transform of half the length with radices
 * 4, 2, 3, 5 or any. BYOC_X: int16_t, int32_t or float. Integers: BYOC_WIDE holds a product and BYOC_BITS are a
 * number's without its sign. They are divided by the radix before each stage; products are rounded, sums wrap around.
 */
#ifndef BYOC_SIGNAL_FFT_H
#define BYOC_SIGNAL_FFT_H

#include "byoc_kernel.h"

/* n complex numbers; radices ends with 0. */
typedef struct {
  int32_t rows, n, given, inverse;
  int32_t radices[20];
} byoc_signal_fft_t;

/* turns: e^(-+2 pi i k / n) for k in [0, n); halves: -+i e^(-+pi i k / n) for k in [1, n / 2]. */
#define BYOC_SIGNAL_FFT(name, X) \
  void name(const byoc_signal_fft_t* p, const X* turns, const X* halves, const X* x, X* y, X* work)

#endif
