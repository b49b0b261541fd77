/*
 * Weights of 4 or 2 bits with the DSP extension, each with 2^(bits - 1) added, so that none is below zero. A word of
 * them has pairs for SMLAD: the lowest bits of its halves, then the ones above. What the addition contributes to a sum
 * is 2^(bits - 1) times the sum of the elements, the same for every channel.
 */
#ifndef BYOC_PACKED_DSP_H
#define BYOC_PACKED_DSP_H

#include "byoc_dsp.h"
#include "byoc_weight.h"

#define BYOC_WEIGHTS_PER_WORD (32 / BYOC_WEIGHT_BITS)
/* Words of n weights. */
#define BYOC_WEIGHT_WORDS(n) (((n) + BYOC_WEIGHTS_PER_WORD - 1) / BYOC_WEIGHTS_PER_WORD)
#define BYOC_WEIGHT_ADDED (1 << (BYOC_WEIGHT_BITS - 1))

/* The lowest pair of weights of a word with a pair of elements of each of four pixels. */
#define BYOC_PACKED_PAIR              \
  "and %[w1], %[w0], %[mask]\n\t"     \
  "ldmia %[x]!, {r2, r3, r4, r5}\n\t" \
  "smlad %[a0], %[w1], r2, %[a0]\n\t" \
  "smlad %[a1], %[w1], r3, %[a1]\n\t" \
  "smlad %[a2], %[w1], r4, %[a2]\n\t" \
  "smlad %[a3], %[w1], r5, %[a3]\n\t"
#define BYOC_PACKED_NEXT "lsr %[w0], %[w0], %[bits]\n\t" BYOC_PACKED_PAIR

/* The pairs of a word: 28 instructions for 32 products with 4 bits, 56 for 64 with 2. */
#if BYOC_WEIGHT_BITS == 4
#define BYOC_PACKED_WORD BYOC_PACKED_PAIR BYOC_PACKED_NEXT BYOC_PACKED_NEXT BYOC_PACKED_NEXT
#else
#define BYOC_PACKED_WORD                                                                                \
  BYOC_PACKED_PAIR BYOC_PACKED_NEXT BYOC_PACKED_NEXT BYOC_PACKED_NEXT BYOC_PACKED_NEXT BYOC_PACKED_NEXT \
      BYOC_PACKED_NEXT BYOC_PACKED_NEXT
#endif

#if BYOC_WEIGHT_BITS < 8
static inline int32_t byoc_wrap(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

/*
 * `words` > 0 words of weights with pairs of elements of four pixels, [pair][pixel]. acc[0]: the bias; then all four
 * sums. `start`: of byoc_packed_start. Returns the weights behind.
 */
static inline const int8_t* byoc_packed_products(const int8_t* w, const void* pairs, int32_t words,
                                                 const int32_t* start, int32_t* acc) {
  const void* x = pairs;
  int32_t a0 = acc[0], a1 = a0, a2 = a0, a3 = a0;
  uint32_t w0, w1;
  /* Inputs: w: words of packed weights; x: pairs, [pair][pixel]; n > 0: words; a0 to a3: the bias; mask: the lowest
     weight of both halves.
     Outputs: a0 to a3: the sums of four pixels; w and x behind what was read; n: 0.
     Clobbers: r2 to r5: the pairs of four pixels, w0, w1, flags; memory is read.
     Holds: a<i> += both weights of a pair * both elements of pixel i; a word moves down by `bits` from pair to
     pair. */
  __asm__ volatile(
      "1:\n\t"
      "ldr %[w0], [%[w]], #4\n\t" BYOC_PACKED_WORD
      "subs %[n], %[n], #1\n\t"
      "bne 1b\n\t"
      : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [w] "+r"(w), [x] "+r"(x), [n] "+r"(words),
        [w0] "=&r"(w0), [w1] "=&r"(w1)
      : [mask] "I"(((1 << BYOC_WEIGHT_BITS) - 1) * 0x00010001), [bits] "I"(BYOC_WEIGHT_BITS)
      : "r2", "r3", "r4", "r5", "cc", "memory");
  acc[0] = byoc_wrap(a0, start[0]);
  acc[1] = byoc_wrap(a1, start[1]);
  acc[2] = byoc_wrap(a2, start[2]);
  acc[3] = byoc_wrap(a3, start[3]);
  return w;
}

/* What the sums of four pixels have to lose for what was added to weights, of the same pairs. */
static inline void byoc_packed_start(const byoc_pair_t* pairs, int32_t words, int32_t* start) {
  int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, n;
  for (n = words * (BYOC_WEIGHTS_PER_WORD / 2); n > 0; --n, pairs += 4) {
    a0 = byoc_smlad(pairs[0], 0x00010001u, a0);
    a1 = byoc_smlad(pairs[1], 0x00010001u, a1);
    a2 = byoc_smlad(pairs[2], 0x00010001u, a2);
    a3 = byoc_smlad(pairs[3], 0x00010001u, a3);
  }
  start[0] = -BYOC_WEIGHT_ADDED * a0;
  start[1] = -BYOC_WEIGHT_ADDED * a1;
  start[2] = -BYOC_WEIGHT_ADDED * a2;
  start[3] = -BYOC_WEIGHT_ADDED * a3;
}
#endif

#endif
