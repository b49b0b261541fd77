/*
 * int8 fully connected layer with the DSP extension: four units at a time, four elements of each in a word.
 *
 * Weights: units in fours, [four][depth / 4][unit][4 elements], depth rounded up to 4, filled up with zeros; 4-byte
 * aligned.
 */
#include "byoc_dsp.h"
#include "byoc_fully_connected_s8.h"
#include "byoc_requant_dsp.h"

static const int8_t* four_units(const int8_t* w, const int8_t* x, int32_t steps, int32_t* acc) {
  int32_t a0 = acc[0], a1 = acc[1], a2 = acc[2], a3 = acc[3];
  uint32_t even, odd, w0, w1, t;
  __asm__ volatile(
      "1:\n\t"
      "ldr %[odd], [%[x]], #4\n\t"
      "ldrd %[w0], %[w1], [%[w]], #8\n\t"
      "sxtb16 %[even], %[odd]\n\t"
      "sxtb16 %[odd], %[odd], ror #8\n\t"
      "sxtb16 %[t], %[w0]\n\t"
      "sxtb16 %[w0], %[w0], ror #8\n\t"
      "smlad %[a0], %[t], %[even], %[a0]\n\t"
      "sxtb16 %[t], %[w1]\n\t"
      "smlad %[a0], %[w0], %[odd], %[a0]\n\t"
      "sxtb16 %[w1], %[w1], ror #8\n\t"
      "smlad %[a1], %[t], %[even], %[a1]\n\t"
      "smlad %[a1], %[w1], %[odd], %[a1]\n\t"
      "ldrd %[w0], %[w1], [%[w]], #8\n\t"
      "sxtb16 %[t], %[w0]\n\t"
      "sxtb16 %[w0], %[w0], ror #8\n\t"
      "smlad %[a2], %[t], %[even], %[a2]\n\t"
      "sxtb16 %[t], %[w1]\n\t"
      "smlad %[a2], %[w0], %[odd], %[a2]\n\t"
      "sxtb16 %[w1], %[w1], ror #8\n\t"
      "smlad %[a3], %[t], %[even], %[a3]\n\t"
      "smlad %[a3], %[w1], %[odd], %[a3]\n\t"
      "subs %[n], %[n], #1\n\t"
      "bne 1b\n\t"
      : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [w] "+r"(w), [x] "+r"(x), [n] "+r"(steps),
        [even] "=&r"(even), [odd] "=&r"(odd), [w0] "=&r"(w0), [w1] "=&r"(w1), [t] "=&r"(t)
      :
      : "cc", "memory");
  acc[0] = a0;
  acc[1] = a1;
  acc[2] = a2;
  acc[3] = a3;
  return w;
}

void BYOC_SYMBOL(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t steps = p->depth >> 2, rest = p->depth & 3, units = p->units;
  int8_t* const start = out;
  int32_t row, unit, i;
  for (row = p->rows; row > 0; --row, in += p->depth) {
    const int8_t *w = p->weights, *tail = in + 4 * steps;
    uint32_t last = 0;
    for (i = rest; i > 0; --i) last = last << 8 | (uint8_t)tail[i - 1];
    for (unit = 0; unit < units;) {
      int32_t acc[4] = {0, 0, 0, 0};
      if (steps) w = four_units(w, in, steps, acc);
      if (rest) w = four_units(w, (const int8_t*)&last, 1, acc);
      for (i = 0; i < 4 && unit < units; ++i, ++unit) {
        const byoc_channel_dsp_t channel = byoc_channel_dsp(&r, unit);
        const int32_t sum = (int32_t)((uint32_t)acc[i] + (uint32_t)r.bias[unit]);
        *out++ =
            (int8_t)(channel.shift ? byoc_requantise_dsp(channel, sum) : byoc_requantise_any(&p->requant, unit, sum));
      }
    }
  }
  byoc_narrow(&r, start, p->rows * units);
}
