/* byoc_dot_s8.h for rows of weights of 4 or 2 bits, which begin at a byte: sums are added to acc and wrap. */
#ifndef BYOC_DOT_PACKED_H
#define BYOC_DOT_PACKED_H

#include "byoc_weight.h"

/* Weight `at` of a byte of two rows with that element of two others, and of four rows with that of one. */
#define BYOC_DOT_2X2_PACKED(at)                                                                 \
  {                                                                                             \
    const int32_t u = byoc_weight_of(a, at), v = byoc_weight_of(b, at), x = x0[at], y = x1[at]; \
    a0 += (uint32_t)(u * x);                                                                    \
    a1 += (uint32_t)(v * x);                                                                    \
    a2 += (uint32_t)(u * y);                                                                    \
    a3 += (uint32_t)(v * y);                                                                    \
  }
#define BYOC_DOT_1X4_PACKED(at)                  \
  {                                              \
    const int32_t v = x[at];                     \
    a0 += (uint32_t)(byoc_weight_of(a, at) * v); \
    a1 += (uint32_t)(byoc_weight_of(b, at) * v); \
    a2 += (uint32_t)(byoc_weight_of(c, at) * v); \
    a3 += (uint32_t)(byoc_weight_of(d, at) * v); \
  }

/* acc[0], acc[1]: x0 by w0 and w1; acc[2], acc[3]: x1. n > 0. */
static inline void byoc_dot_2x2(const int8_t* w0, const int8_t* w1, const int8_t* x0, const int8_t* x1, int32_t n,
                                uint32_t* acc) {
  const uint8_t *p = (const uint8_t*)w0, *q = (const uint8_t*)w1;
  uint32_t a0 = acc[0], a1 = acc[1], a2 = acc[2], a3 = acc[3];
  for (; n >= BYOC_WEIGHTS_PER_BYTE; n -= BYOC_WEIGHTS_PER_BYTE) {
    const uint32_t a = *p++, b = *q++;
    BYOC_DOT_2X2_PACKED(0)
    BYOC_DOT_2X2_PACKED(1)
#if BYOC_WEIGHT_BITS == 2
    BYOC_DOT_2X2_PACKED(2)
    BYOC_DOT_2X2_PACKED(3)
#endif
    x0 += BYOC_WEIGHTS_PER_BYTE;
    x1 += BYOC_WEIGHTS_PER_BYTE;
  }
  if (n > 0) {
    const uint32_t a = *p, b = *q;
    int32_t k;
    for (k = 0; k < n; ++k) BYOC_DOT_2X2_PACKED(k)
  }
  acc[0] = a0;
  acc[1] = a1;
  acc[2] = a2;
  acc[3] = a3;
}

/* acc[i]: x by w[i]. n > 0. */
static inline void byoc_dot_1x4(const int8_t* const* rows, const int8_t* x, int32_t n, uint32_t* acc) {
  const uint8_t *p = (const uint8_t*)rows[0], *q = (const uint8_t*)rows[1];
  const uint8_t *r = (const uint8_t*)rows[2], *s = (const uint8_t*)rows[3];
  uint32_t a0 = acc[0], a1 = acc[1], a2 = acc[2], a3 = acc[3];
  for (; n >= BYOC_WEIGHTS_PER_BYTE; n -= BYOC_WEIGHTS_PER_BYTE) {
    const uint32_t a = *p++, b = *q++, c = *r++, d = *s++;
    BYOC_DOT_1X4_PACKED(0)
    BYOC_DOT_1X4_PACKED(1)
#if BYOC_WEIGHT_BITS == 2
    BYOC_DOT_1X4_PACKED(2)
    BYOC_DOT_1X4_PACKED(3)
#endif
    x += BYOC_WEIGHTS_PER_BYTE;
  }
  if (n > 0) {
    const uint32_t a = *p, b = *q, c = *r, d = *s;
    int32_t k;
    for (k = 0; k < n; ++k) BYOC_DOT_1X4_PACKED(k)
  }
  acc[0] = a0;
  acc[1] = a1;
  acc[2] = a2;
  acc[3] = a3;
}

#endif
