/*
 * Sums of products of int8 rows for cores without vector instructions: as many products from each load as the
 * registers allow. Sums are added to acc and wrap.
 */
#ifndef BYOC_DOT_S8_H
#define BYOC_DOT_S8_H

#include "byoc_kernel.h"

#if defined(__thumb2__)
#define BYOC_DOT_THUMB2
#elif defined(__thumb__) && (defined(__clang__) || !defined(__OPTIMIZE_SIZE__))
/* With -Os GCC does without the high registers. */
#define BYOC_DOT_THUMB1
#endif

#if defined(BYOC_DOT_THUMB2)
/* Element `at` of two rows with each of two others: 8 instructions for 4 products. */
#define BYOC_DOT_2X2(at)             \
  "ldrsb %[x], [%[x0]" at            \
  "\n\t"                             \
  "ldrsb %[y], [%[x1]" at            \
  "\n\t"                             \
  "ldrsb %[w], [%[w0]" at            \
  "\n\t"                             \
  "mla %[a0], %[w], %[x], %[a0]\n\t" \
  "mla %[a2], %[w], %[y], %[a2]\n\t" \
  "ldrsb %[w], [%[w1]" at            \
  "\n\t"                             \
  "mla %[a1], %[w], %[x], %[a1]\n\t" \
  "mla %[a3], %[w], %[y], %[a3]\n\t"
#endif

#if !defined(__OPTIMIZE_SIZE__) && !defined(__SSE2__) && !defined(__ARM_NEON) && !defined(__riscv_vector)
/* By hand, for GCC and Clang leave the loops below as they are. Where there are vectors they make better ones of them.
 */
#define BYOC_DOT_UNROLLED
#endif

/* Element `at` of two rows with each of two others, and of one row with those of four others, in C. */
#define BYOC_DOT_2X2_C(at)                                        \
  {                                                               \
    const int32_t u = w0[at], v = w1[at], x = x0[at], y = x1[at]; \
    a0 += (uint32_t)(u * x);                                      \
    a1 += (uint32_t)(v * x);                                      \
    a2 += (uint32_t)(u * y);                                      \
    a3 += (uint32_t)(v * y);                                      \
  }
#define BYOC_DOT_1X4_C(at)        \
  {                               \
    const int32_t v = x[at];      \
    a0 += (uint32_t)(w0[at] * v); \
    a1 += (uint32_t)(w1[at] * v); \
    a2 += (uint32_t)(w2[at] * v); \
    a3 += (uint32_t)(w3[at] * v); \
  }

/* acc[0], acc[1]: x0 by w0 and w1; acc[2], acc[3]: x1. n > 0. */
static inline void byoc_dot_2x2(const int8_t* w0, const int8_t* w1, const int8_t* x0, const int8_t* x1, int32_t n,
                                uint32_t* acc) {
  uint32_t a0 = acc[0], a1 = acc[1], a2 = acc[2], a3 = acc[3];
#if defined(BYOC_DOT_THUMB2)
  int32_t x, y, w;
  for (; n & 3; --n) {
    x = *x0++;
    y = *x1++;
    w = *w0++;
    a0 += (uint32_t)(w * x);
    a2 += (uint32_t)(w * y);
    w = *w1++;
    a1 += (uint32_t)(w * x);
    a3 += (uint32_t)(w * y);
  }
  if (n) {
    /* Inputs: w0, w1, x0, x1: rows of n bytes; n: a multiple of 4, > 0; a0 to a3: sums so far.
       Outputs: a0 to a3: the sums; w0, w1, x0, x1 behind the rows; n: 0.
       Clobbers: x, y, w, flags; memory is read.
       Holds: a0 += w0 * x0, a1 += w1 * x0, a2 += w0 * x1, a3 += w1 * x1, four elements a turn; sums wrap. */
    __asm__ volatile(
        "1:\n\t" BYOC_DOT_2X2(", #1]") BYOC_DOT_2X2(", #2]") BYOC_DOT_2X2(", #3]") BYOC_DOT_2X2("], #4")
        "subs %[n], %[n], #4\n\t"
        "bne 1b\n\t"
        : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [w0] "+r"(w0), [w1] "+r"(w1), [x0] "+r"(x0),
          [x1] "+r"(x1), [n] "+r"(n), [x] "=&r"(x), [y] "=&r"(y), [w] "=&r"(w)
        :
        : "cc", "memory");
  }
#elif defined(BYOC_DOT_THUMB1)
  int32_t x, w;
  w0 += n;
  w1 += n;
  x0 += n;
  x1 += n;
  n = -n;
  /* Inputs: w0, w1, x0, x1: the ends of rows; n: minus their length, < 0; a0 to a3: sums so far.
     Outputs: a0 to a3: the sums; n: 0.
     Clobbers: x, w, flags; memory is read.
     Holds: a0 += w0 * x0, a1 += w1 * x0, a2 += w0 * x1, a3 += w1 * x1, one element a turn, at end + n; sums are in
     high registers. */
  __asm__ volatile(
      ".syntax unified\n\t"
      "1:\n\t"
      "ldrsb %[x], [%[x0], %[n]]\n\t"
      "ldrsb %[w], [%[w0], %[n]]\n\t"
      "muls %[w], %[x], %[w]\n\t"
      "add %[a0], %[a0], %[w]\n\t"
      "ldrsb %[w], [%[w1], %[n]]\n\t"
      "muls %[x], %[w], %[x]\n\t"
      "add %[a1], %[a1], %[x]\n\t"
      "ldrsb %[x], [%[x1], %[n]]\n\t"
      "muls %[w], %[x], %[w]\n\t"
      "add %[a3], %[a3], %[w]\n\t"
      "ldrsb %[w], [%[w0], %[n]]\n\t"
      "muls %[x], %[w], %[x]\n\t"
      "add %[a2], %[a2], %[x]\n\t"
      "adds %[n], %[n], #1\n\t"
      "bne 1b\n\t"
      : [a0] "+h"(a0), [a1] "+h"(a1), [a2] "+h"(a2), [a3] "+h"(a3), [n] "+&l"(n), [x] "=&l"(x), [w] "=&l"(w)
      : [w0] "l"(w0), [w1] "l"(w1), [x0] "l"(x0), [x1] "l"(x1)
      : "cc", "memory");
#else
#if defined(BYOC_DOT_UNROLLED)
  for (; n > 3; n -= 4, w0 += 4, w1 += 4, x0 += 4, x1 += 4) {
    BYOC_DOT_2X2_C(0) BYOC_DOT_2X2_C(1) BYOC_DOT_2X2_C(2) BYOC_DOT_2X2_C(3)
  }
#endif
  for (; n > 0; --n, ++w0, ++w1, ++x0, ++x1) BYOC_DOT_2X2_C(0)
#endif
  acc[0] = a0;
  acc[1] = a1;
  acc[2] = a2;
  acc[3] = a3;
}

#if defined(BYOC_DOT_THUMB2)
/* Element `at` of a row with those of four others: 9 instructions for 4 products. */
#define BYOC_DOT_1X4(at)             \
  "ldrsb %[v], [%[x]" at             \
  "\n\t"                             \
  "ldrsb %[w], [%[w0]" at            \
  "\n\t"                             \
  "mla %[a0], %[w], %[v], %[a0]\n\t" \
  "ldrsb %[w], [%[w1]" at            \
  "\n\t"                             \
  "mla %[a1], %[w], %[v], %[a1]\n\t" \
  "ldrsb %[w], [%[w2]" at            \
  "\n\t"                             \
  "mla %[a2], %[w], %[v], %[a2]\n\t" \
  "ldrsb %[w], [%[w3]" at            \
  "\n\t"                             \
  "mla %[a3], %[w], %[v], %[a3]\n\t"
#endif

/* acc[i]: x by w[i]. n > 0. */
static inline void byoc_dot_1x4(const int8_t* const* rows, const int8_t* x, int32_t n, uint32_t* acc) {
  const int8_t *w0 = rows[0], *w1 = rows[1], *w2 = rows[2], *w3 = rows[3];
  uint32_t a0 = acc[0], a1 = acc[1], a2 = acc[2], a3 = acc[3];
#if defined(BYOC_DOT_THUMB2)
  int32_t v, w;
  for (; n & 3; --n) {
    v = *x++;
    a0 += (uint32_t)(*w0++ * v);
    a1 += (uint32_t)(*w1++ * v);
    a2 += (uint32_t)(*w2++ * v);
    a3 += (uint32_t)(*w3++ * v);
  }
  if (n) {
    /* Inputs: w0 to w3, x: rows of n bytes; n: a multiple of 4, > 0; a0 to a3: sums so far.
       Outputs: a0 to a3: the sums; w0 to w3 and x behind the rows; n: 0.
       Clobbers: v, w, flags; memory is read.
       Holds: a<i> += w<i> * x, four elements a turn; sums wrap. */
    __asm__ volatile(
        "1:\n\t" BYOC_DOT_1X4(", #1]") BYOC_DOT_1X4(", #2]") BYOC_DOT_1X4(", #3]") BYOC_DOT_1X4("], #4")
        "subs %[n], %[n], #4\n\t"
        "bne 1b\n\t"
        : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2),
          [w3] "+r"(w3), [x] "+r"(x), [n] "+r"(n), [v] "=&r"(v), [w] "=&r"(w)
        :
        : "cc", "memory");
  }
#elif defined(BYOC_DOT_THUMB1)
  int32_t v, w;
  w0 += n;
  w1 += n;
  w2 += n;
  w3 += n;
  x += n;
  n = -n;
  /* Inputs: w0 to w3, x: the ends of rows; n: minus their length, < 0; a0 to a3: sums so far.
     Outputs: a0 to a3: the sums; n: 0.
     Clobbers: v, w, flags; memory is read.
     Holds: a<i> += w<i> * x, one element a turn, at end + n. Seven low registers, so that a frame pointer has the
     eighth. */
  __asm__ volatile(
      ".syntax unified\n\t"
      "1:\n\t"
      "mov %[v], %[x]\n\t"
      "ldrsb %[v], [%[v], %[n]]\n\t"
      "ldrsb %[w], [%[w0], %[n]]\n\t"
      "muls %[w], %[v], %[w]\n\t"
      "add %[a0], %[a0], %[w]\n\t"
      "ldrsb %[w], [%[w1], %[n]]\n\t"
      "muls %[w], %[v], %[w]\n\t"
      "add %[a1], %[a1], %[w]\n\t"
      "ldrsb %[w], [%[w2], %[n]]\n\t"
      "muls %[w], %[v], %[w]\n\t"
      "add %[a2], %[a2], %[w]\n\t"
      "ldrsb %[w], [%[w3], %[n]]\n\t"
      "muls %[w], %[v], %[w]\n\t"
      "add %[a3], %[a3], %[w]\n\t"
      "adds %[n], %[n], #1\n\t"
      "bne 1b\n\t"
      :
      [a0] "+h"(a0), [a1] "+h"(a1), [a2] "+h"(a2), [a3] "+h"(a3), [x] "+h"(x), [n] "+&l"(n), [v] "=&l"(v), [w] "=&l"(w)
      : [w0] "l"(w0), [w1] "l"(w1), [w2] "l"(w2), [w3] "l"(w3)
      : "cc", "memory");
#else
#if defined(BYOC_DOT_UNROLLED)
  for (; n > 3; n -= 4, w0 += 4, w1 += 4, w2 += 4, w3 += 4, x += 4) {
    BYOC_DOT_1X4_C(0) BYOC_DOT_1X4_C(1) BYOC_DOT_1X4_C(2) BYOC_DOT_1X4_C(3)
  }
#endif
  for (; n > 0; --n, ++w0, ++w1, ++w2, ++w3, ++x) BYOC_DOT_1X4_C(0)
#endif
  acc[0] = a0;
  acc[1] = a1;
  acc[2] = a2;
  acc[3] = a3;
}

#endif
