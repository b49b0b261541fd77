#include "byoc_softmax_s16.h"

/* The table at x over the whole range of int16: 512 steps, linear between them. */
static int32_t at(const int16_t* table, int32_t x) {
  const int32_t i = 256 + (x >> 7);
  const int32_t base = table[i];
  return base + (((table[i + 1] - base) * (x & 0x7f) + 64) >> 7);
}

static int32_t exponential(const byoc_softmax_s16_t* p, int32_t difference) {
  const int32_t scaled = byoc_multiply_q31(difference, p->multiplier, p->shift);
  return at(p->exponential, byoc_clamp(scaled, -65535, 0) + 32767);
}

static void row(const byoc_softmax_s16_t* p, const int16_t* in, int16_t* out) {
  int32_t i, most = in[0], headroom = 0, shifted, reciprocal, right;
  int64_t sum = 0; /* Q16.15 */
  for (i = 1; i < p->depth; ++i) most = in[i] > most ? in[i] : most;
  for (i = 0; i < p->depth; ++i) {
    const int32_t e = exponential(p, in[i] - most);
    out[i] = (int16_t)e;
    sum += e;
  }
  while (!((uint32_t)sum & (0x80000000u >> headroom))) ++headroom;
  shifted = (int32_t)((((int64_t)sum << (headroom - 1)) + ((int32_t)1 << 13)) >> 14);
  reciprocal =
      at(p->reciprocal_of_one_plus, byoc_clamp(shifted - ((int32_t)1 << 15) - ((int32_t)1 << 16), -32768, 32767));
  right = 31 - headroom;
  for (i = 0; i < p->depth; ++i) {
    const int64_t y = ((int64_t)out[i] * reciprocal + ((int64_t)1 << (right - 1))) >> right;
    out[i] = (int16_t)(y < 0 ? 0 : y > 32767 ? 32767 : y);
  }
}

void BYOC_SYMBOL(const byoc_softmax_s16_t* p, const int16_t* in, int16_t* out) {
  int32_t i;
  for (i = 0; i < p->rows; ++i) row(p, in + (size_t)i * (size_t)p->depth, out + (size_t)i * (size_t)p->depth);
}
