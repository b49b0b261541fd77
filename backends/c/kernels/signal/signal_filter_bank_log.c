#include "byoc_signal.h"
#include "byoc_signal_bits.h"

/* Numbers above 1: the natural logarithm times scale, with 16 bits of fraction on the way. */
static uint32_t scaled_log(uint32_t x, uint32_t scale, const int16_t* above_chord) {
  const int32_t whole = byoc_bit_width(x) - 1;
  const uint32_t above = x - ((uint32_t)1 << whole);
  const int32_t fraction = (int32_t)(whole < 16 ? above << (16 - whole) : above >> (whole - 16));
  const int16_t* entry = above_chord + (fraction >> 9);
  const int32_t between = ((entry[1] - entry[0]) * (fraction & 511)) >> 16;
  const uint32_t log2 = ((uint32_t)whole << 16) + (uint32_t)(fraction + entry[0] + between);
  const uint32_t log = (uint32_t)(((uint64_t)log2 * 45426u + 32768u) >> 16); /* times ln 2 */
  return (scale * log + 32768u) >> 16;
}

BYOC_SIGNAL_LOG(BYOC_SYMBOL) {
  int32_t i;
  for (i = 0; i < p->n; ++i) {
    const uint32_t corrected = x[i] << p->correction;
    const uint32_t log = corrected > 1u ? scaled_log(corrected, p->scale, above_chord) : 0u;
    y[i] = (int16_t)(log < 32767u ? log : 32767u);
  }
}
