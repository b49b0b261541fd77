/*
 * Weights of BYOC_WEIGHT_BITS bits: 8, or 4 or 2 in two's complement, 8 / BYOC_WEIGHT_BITS to a byte with the first in
 * its lowest bits, as models have them.
 */
#ifndef BYOC_WEIGHT_H
#define BYOC_WEIGHT_H

#include "byoc_kernel.h"

#if !defined(BYOC_WEIGHT_BITS)
#define BYOC_WEIGHT_BITS 8
#endif

#define BYOC_WEIGHTS_PER_BYTE (8 / BYOC_WEIGHT_BITS)
/* The bytes of n weights in a row. */
#define BYOC_WEIGHT_BYTES(n) (((n) + BYOC_WEIGHTS_PER_BYTE - 1) / BYOC_WEIGHTS_PER_BYTE)

/* Weight `at` of a byte. */
static inline int32_t byoc_weight_of(uint32_t byte, int32_t at) {
  return (int32_t)(byte << (32 - BYOC_WEIGHT_BITS - BYOC_WEIGHT_BITS * at)) >> (32 - BYOC_WEIGHT_BITS);
}

static inline int32_t byoc_weight(const void* weights, byoc_offset_t i) {
#if BYOC_WEIGHT_BITS == 8
  return ((const int8_t*)weights)[i];
#else
  const size_t at = (size_t)i;
  return byoc_weight_of(((const uint8_t*)weights)[at / BYOC_WEIGHTS_PER_BYTE], (int32_t)(at % BYOC_WEIGHTS_PER_BYTE));
#endif
}

/* One after the other: 8-bit ones move `weights`, others count in `taken`. */
static inline int32_t byoc_weight_next(const int8_t** weights, int32_t* taken) {
#if BYOC_WEIGHT_BITS == 8
  (void)taken;
  return *(*weights)++;
#else
  return byoc_weight(*weights, (*taken)++);
#endif
}

/* `count` weights from number `first` on: where they lie, or one to a byte in `unpacked`. */
static inline const int8_t* byoc_weights(const void* weights, int32_t first, int32_t count, int8_t* unpacked) {
#if BYOC_WEIGHT_BITS == 8
  (void)count;
  (void)unpacked;
  return (const int8_t*)weights + first;
#else
  const uint8_t* from = (const uint8_t*)weights + first / BYOC_WEIGHTS_PER_BYTE;
  int32_t at = first % BYOC_WEIGHTS_PER_BYTE, i;
  for (i = 0; i < count; ++i) {
    unpacked[i] = (int8_t)byoc_weight_of(*from, at);
    if (++at < BYOC_WEIGHTS_PER_BYTE) continue;
    at = 0;
    ++from;
  }
  return unpacked;
#endif
}

#endif
