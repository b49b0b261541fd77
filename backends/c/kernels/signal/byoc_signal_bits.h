#ifndef BYOC_SIGNAL_BITS_H
#define BYOC_SIGNAL_BITS_H

#include <stdint.h>

/* Bits up to the highest that is set. */
static inline int32_t byoc_bit_width(uint32_t x) {
#if defined(__GNUC__)
  return x == 0u ? 0 : 32 - __builtin_clz(x) - (int32_t)(8 * sizeof(unsigned) - 32);
#else
  int32_t width = 0;
  while (x != 0u) {
    ++width;
    x >>= 1;
  }
  return width;
#endif
}

#endif
