#include "byoc_signal.h"
#include "byoc_signal_bits.h"

/* A quadratic piece for each power of two. */
static int16_t gain_of(uint32_t noise, const int16_t* gains) {
  int32_t bits, at;
  uint32_t slope;
  if (noise <= 2u) return gains[noise];
  bits = byoc_bit_width(noise);
  gains += 4 * bits - 6;
  at = (int32_t)((bits < 11 ? noise << (11 - bits) : noise >> (bits - 11)) & 0x3ffu);
  slope = (uint32_t)((gains[2] * at) >> 5) + (uint32_t)(gains[1] * 32);
  return (int16_t)(((int32_t)(slope * (uint32_t)at + 16384u) >> 15) + gains[0]);
}

BYOC_SIGNAL_PCAN(BYOC_SYMBOL) {
  int32_t i;
  for (i = 0; i < n; ++i) {
    const uint32_t gain = (uint32_t)(int32_t)gain_of(noise[i], gains);
    const uint32_t ratio = (uint32_t)(((uint64_t)x[i] * gain) >> shift);
    /* Compresses 12 bits of fraction to 6: x * x / 4 below 2, x - 1 above. */
    y[i] = ratio < 8192u ? (ratio * ratio) >> 20 : (ratio >> 6) - 64u;
  }
}
