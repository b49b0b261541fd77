/* The logistic function and the hyperbolic tangent of 16-bit integers: a table of the former with interpolation. */
#ifndef BYOC_SIGMOID_S16_H
#define BYOC_SIGMOID_S16_H

#include "byoc_kernel.h"

typedef struct byoc_sigmoid_s16_t {
  int32_t count;
  int32_t multiplier, shift; /* from a step of the input to 1 / (3 * 4096) */
  const uint16_t* table;     /* 256: nearly 65536 * sigmoid(i / 24) */
} byoc_sigmoid_s16_t;

void byoc_sigmoid_s16(const byoc_sigmoid_s16_t* p, const int16_t* x, int16_t* y);
void byoc_tanh_s16(const byoc_sigmoid_s16_t* p, const int16_t* x, int16_t* y);

/* x * multiplier / 2^shift, halves up. */
static inline int64_t byoc_table_position(int32_t x, int32_t multiplier, int32_t shift) {
  const int64_t half = shift > 0 ? (int64_t)1 << (shift - 1) : 0;
  return ((int64_t)x * multiplier + half) >> shift;
}

/* x in steps of 1 / (3 * 4096); the result in 1 / 32768. */
static inline int16_t byoc_sigmoid_at(const uint16_t* table, int64_t x) {
  const uint64_t size = (uint64_t)(x < 0 ? -x : x), at = size >> 9;
  int32_t y = 0x7fff << 10;
  if (at < 255) {
    const int32_t a = table[at], b = table[at + 1];
    y = (int32_t)((uint32_t)a << 9) + (int32_t)(size & 0x1ff) * (b - a);
  }
  y = x >= 0 ? y + ((int32_t)1 << 9) : ((int32_t)1 << 25) - y + ((int32_t)1 << 9) - 1;
  return (int16_t)(y >> 10);
}

/* tanh(x) = 2 sigmoid(2 x) - 1. */
static inline int16_t byoc_tanh_at(const uint16_t* table, int64_t x) {
  const uint64_t size = (uint64_t)(x < 0 ? -x : x), at = size >> 8;
  int32_t y = 0xffff << 8;
  if (at < 255) {
    const int32_t a = table[at], b = table[at + 1];
    y = (int32_t)((uint32_t)a << 8) + (int32_t)(size & 0xff) * (b - a);
  }
  y = x >= 0 ? y - ((int32_t)1 << 23) + ((int32_t)1 << 7) : ((int32_t)1 << 23) - y + ((int32_t)1 << 7) - 1;
  return (int16_t)(y >> 8);
}

#endif
