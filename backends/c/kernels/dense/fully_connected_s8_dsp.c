/*
 * int8 fully connected layer with the DSP extension: four units by four elements at a time, of which SMLAD multiplies
 * four pairs at once. A half of a word of weights is 256 * w1 + (w0 + 128) of two units, so that the same word gives
 *   b = sum of (w0 + 128) * x, from its low bytes, and t = 256 * (sum of w1 * x) + b, from the word as it is,
 * and the sums are b - 128 * (sum of x) and (t - b) / 256. The latter has 24 bits: enough for 511 elements at once.
 *
 * Weights: units in fours, [four][depth / 4][unit pair][elements 0 and 2, then 1 and 3][element][unit of the pair], the
 * first of a pair with its sign bit flipped; units and depth are filled up with any values; 4-byte aligned.
 *
 * With BYOC_WEIGHT_BITS of 4 or 2 each weight has 2^(bits - 1) added, and what is between the lowest bits of the halves
 * of a word is masked away: those of unit `u` are bits * u up. 4 bits: a word for elements 0 and 2, one for 1 and 3;
 * 2 bits: one for all, 1 and 3 eight bits up.
 */
#include "byoc_dsp.h"
#include "byoc_fully_connected_s8.h"
#include "byoc_requant_dsp.h"
#include "byoc_weight.h"

#if BYOC_WEIGHT_BITS < 8
#define BYOC_STEPS 0x1000000 /* at once */
#define BYOC_ADDED (1 << (BYOC_WEIGHT_BITS - 1))

/* Weights of one unit for a pair of elements, and those of the next one. */
#define BYOC_UNIT(x, sum)           \
  "and %[w0], %[mask], %[word]\n\t" \
  "smlad %[" sum "], %[w0], %[" x "], %[" sum "]\n\t"
#define BYOC_UP(x, sum, up)               \
  "and %[w0], %[mask], %[word], lsr #" up \
  "\n\t"                                  \
  "smlad %[" sum "], %[w0], %[" x "], %[" sum "]\n\t"
#if BYOC_WEIGHT_BITS == 4
#define BYOC_FOUR_UNITS                                                                                    \
  BYOC_UNIT("even", "s0")                                                                                  \
  BYOC_UP("even", "s1", "4")                                                                               \
  BYOC_UP("even", "s2", "8")                                                                               \
  BYOC_UP("even", "s3", "12")                                                                              \
  "ldr %[word], [%[w]], #4\n\t" BYOC_UNIT("odd", "s0") BYOC_UP("odd", "s1", "4") BYOC_UP("odd", "s2", "8") \
      BYOC_UP("odd", "s3", "12")
#else
#define BYOC_FOUR_UNITS      \
  BYOC_UNIT("even", "s0")    \
  BYOC_UP("even", "s1", "2") \
  BYOC_UP("even", "s2", "4") \
  BYOC_UP("even", "s3", "6") \
  BYOC_UP("odd", "s0", "8") BYOC_UP("odd", "s1", "10") BYOC_UP("odd", "s2", "12") BYOC_UP("odd", "s3", "14")
#endif

#define BYOC_STEP               \
  "ldr %[odd], [%[x]], #4\n\t"  \
  "ldr %[word], [%[w]], #4\n\t" \
  "sxtb16 %[even], %[odd]\n\t"  \
  "sxtb16 %[odd], %[odd], ror #8\n\t" BYOC_FOUR_UNITS

/* Four units over `steps` > 0 steps, added to sums. */
static BYOC_INLINE const int8_t* four_units(const int8_t* w, const int8_t* x, int32_t steps, uint32_t* sums) {
  uint32_t s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3], even, odd, word, w0;
  /* Inputs: w: packed weights; x: four elements a step; n: steps > 0; s0 to s3: sums so far; mask: the lowest
     weight of both halves.
     Outputs: s0 to s3: the sums of four units; w and x behind what was read; n: 0.
     Clobbers: even, odd: pairs of elements; word, w0: pairs of weights; flags; memory is read.
     Holds: s<i> += the weights of unit i * elements; a word has the pairs of all units, which it is shifted for.
     Four steps a turn, the rest one by one. */
  __asm__ volatile(
#if !defined(__OPTIMIZE_SIZE__)
      "subs %[n], %[n], #4\n\t"
      "blt 2f\n\t"
      "1:\n\t"
      ".rept 4\n\t" BYOC_STEP
      ".endr\n\t"
      "subs %[n], %[n], #4\n\t"
      "bge 1b\n\t"
      "2:\n\t"
      "adds %[n], %[n], #4\n\t"
      "beq 4f\n\t"
#endif
      "3:\n\t" BYOC_STEP
      "subs %[n], %[n], #1\n\t"
      "bne 3b\n\t"
      "4:\n\t"
      : [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3), [w] "+&r"(w), [x] "+&r"(x), [n] "+&r"(steps),
        [even] "=&r"(even), [odd] "=&r"(odd), [word] "=&r"(word), [w0] "=&r"(w0)
      : [mask] "r"(((1u << BYOC_WEIGHT_BITS) - 1u) * 0x00010001u)
      : "cc", "memory");
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
  return w;
}
#else
#define BYOC_STEPS 127 /* at once */
#define BYOC_ADDED 128

/* A word of weights with a pair of elements. */
#define BYOC_PAIR(w, x, t, b)             \
  "smlad %[" t "], " w ", %[" x "], %[" t \
  "]\n\t"                                 \
  "uxtb16 " w ", " w                      \
  "\n\t"                                  \
  "smlad %[" b "], " w ", %[" x "], %[" b "]\n\t"

/* Loads of one register next to each other take a cycle each, where LDM takes one more. */
#define BYOC_FOUR_UNITS                                                                                      \
  "ldr %[odd], [%[x]], #4\n\t"                                                                               \
  "ldr r3, [%[w], #4]\n\t"                                                                                   \
  "ldr r4, [%[w], #8]\n\t"                                                                                   \
  "ldr r5, [%[w], #12]\n\t"                                                                                  \
  "ldr r2, [%[w]], #16\n\t"                                                                                  \
  "sxtb16 %[even], %[odd]\n\t"                                                                               \
  "sxtb16 %[odd], %[odd], ror #8\n\t" BYOC_PAIR("r2", "even", "t0", "b0") BYOC_PAIR("r3", "odd", "t0", "b0") \
      BYOC_PAIR("r4", "even", "t1", "b1") BYOC_PAIR("r5", "odd", "t1", "b1")

/* Four units over `steps` > 0 steps: sums[0], sums[2] are b, the other ones the sums themselves. */
static BYOC_INLINE const int8_t* four_units(const int8_t* w, const int8_t* x, int32_t steps, uint32_t* sums) {
  uint32_t t0 = 0, b0 = 0, t1 = 0, b1 = 0, even, odd;
  /* Inputs: w: four words of weights a step; x: four elements a step; n: steps > 0; t0, b0, t1, b1: 0.
     Outputs: t0, b0, t1, b1: the sums; w and x behind what was read; n: 0.
     Clobbers: r2 to r5: weights; even, odd: pairs of elements; flags; memory is read.
     Holds: t<i> += words * elements, b<i> += their low bytes * elements: t = 256 * (sum of one unit) + b. Four
     steps a turn, the rest one by one. */
  __asm__ volatile(
#if !defined(__OPTIMIZE_SIZE__)
      "subs %[n], %[n], #4\n\t"
      "blt 2f\n\t"
      "1:\n\t"
      ".rept 4\n\t" BYOC_FOUR_UNITS
      ".endr\n\t"
      "subs %[n], %[n], #4\n\t"
      "bge 1b\n\t"
      "2:\n\t"
      "adds %[n], %[n], #4\n\t"
      "beq 4f\n\t"
#endif
      "3:\n\t" BYOC_FOUR_UNITS
      "subs %[n], %[n], #1\n\t"
      "bne 3b\n\t"
      "4:\n\t"
      : [t0] "+r"(t0), [b0] "+r"(b0), [t1] "+r"(t1), [b1] "+r"(b1), [w] "+r"(w), [x] "+r"(x), [n] "+r"(steps),
        [even] "=&r"(even), [odd] "=&r"(odd)
      :
      : "r2", "r3", "r4", "r5", "cc", "memory");
  sums[0] += b0;
  sums[1] += (uint32_t)((int32_t)(t0 - b0) >> 8);
  sums[2] += b1;
  sums[3] += (uint32_t)((int32_t)(t1 - b1) >> 8);
  return w;
}
#endif

/* The sum of the elements of a row. */
static int32_t sum_of(const int8_t* x, int32_t n) {
  int32_t sum = 0;
  for (; n > 3; n -= 4, x += 4) {
    uint32_t word;
    memcpy(&word, x, sizeof word);
    sum = byoc_smlad(byoc_sxtb16(word), 0x00010001u, byoc_smlad(byoc_sxtb16_odd(word), 0x00010001u, sum));
  }
  for (; n > 0; --n) sum += *x++;
  return sum;
}

void BYOC_SYMBOL(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  byoc_channel_t channel = byoc_channel_dsp(&r, 0);
  const int32_t depth = p->depth, steps = depth >> 2, rest = depth & 3, units = p->units;
  int8_t* const start = out;
  int32_t row, unit, i;
  for (row = p->rows; row > 0; --row, in += depth) {
    const int8_t *w = p->weights, *tail = in + 4 * steps;
    const uint32_t low = 0u - (uint32_t)(BYOC_ADDED * sum_of(in, depth));
    uint32_t last = 0;
    for (i = rest; i > 0; --i) last = last << 8 | (uint8_t)tail[i - 1];
    for (unit = 0; unit < units;) {
      uint32_t sums[4];
      const int8_t* x = in;
      int32_t left = steps, tails = rest > 0;
      sums[0] = sums[2] = low;
      sums[1] = sums[3] = BYOC_WEIGHT_BITS < 8 ? low : 0;
      /* What is left of the row is one step more, of which four_units is there once. */
      while (left > 0 || tails) {
        const int32_t n = left == 0 ? 1 : left < BYOC_STEPS ? left : BYOC_STEPS;
        if (left == 0) {
          x = (const int8_t*)&last;
          tails = 0;
        }
        w = four_units(w, x, n, sums);
        x += 4 * n;
        left = left < n ? 0 : left - n;
      }
#if BYOC_WEIGHT_BITS == 8
      if (!r.step && channel.shift && units - unit > 3) {
        const int32_t* bias = r.bias + unit;
        out[0] = (int8_t)byoc_requantise_dsp(channel, (int32_t)(sums[0] + (uint32_t)bias[0]));
        out[1] = (int8_t)byoc_requantise_dsp(channel, (int32_t)(sums[1] + (uint32_t)bias[1]));
        out[2] = (int8_t)byoc_requantise_dsp(channel, (int32_t)(sums[2] + (uint32_t)bias[2]));
        out[3] = (int8_t)byoc_requantise_dsp(channel, (int32_t)(sums[3] + (uint32_t)bias[3]));
        out += 4;
        unit += 4;
        continue;
      }
#endif
      for (i = 0; i < 4 && unit < units; ++i, ++unit) {
        const int32_t sum = (int32_t)(sums[i] + (uint32_t)r.bias[unit]);
        if (r.step) channel = byoc_channel_dsp(&r, unit);
        *out++ =
            (int8_t)(channel.shift ? byoc_requantise_dsp(channel, sum) : byoc_requantise_any(&p->requant, unit, sum));
      }
    }
  }
  byoc_narrow(&r, start, p->rows * units);
}
