#include "tn_support.h"

/* exp(x) with 31 fractional bits of x <= 0 with 26: a polynomial around -1/8, factors exp(-2^k) for the rest. */
static int32_t exponential(int32_t x) {
  static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int32_t quarter = 1 << 24;
  const int32_t part = (x & (quarter - 1)) - quarter, rest = part - x;
  const int32_t a = part * 32 + (1 << 28);
  const int32_t a2 = tn_high_mul(a, a), a3 = tn_high_mul(a2, a), a4 = tn_high_mul(a2, a2);
  const int32_t tail = tn_divide(tn_high_mul(tn_divide(a4, 2) + a3, 715827883) + a2, 1);
  int32_t y = 1895147668 + tn_high_mul(1895147668, a + tail);
  if (x == 0) return INT32_MAX;
  for (int32_t k = 0; k < 7; ++k)
    if (rest & (1 << (24 + k))) y = tn_high_mul(y, factors[k]);
  return y;
}

/* 1 / (1 + a), both with 31 fractional bits: three Newton steps. */
static int32_t reciprocal(int32_t a) {
  const int32_t half = (int32_t)(((int64_t)a + INT32_MAX + 1) / 2);
  int32_t x = 1515870810 + tn_high_mul(half, -1010580540);
  for (int32_t k = 0; k < 3; ++k) x += tn_high_mul(x, (1 << 29) - tn_high_mul(half, x)) * 4;
  return x > INT32_MAX / 2 ? INT32_MAX : x * 2;
}

static int32_t headroom(uint32_t x) {
  int32_t n = 0;
  for (; !(x & 0x80000000u); x <<= 1) ++n;
  return n;
}

void tn_softmax_s8(const tn_softmax* p, const int8_t* in, int8_t* out) {
  for (int32_t r = 0; r < p->rows; ++r, in += p->depth, out += p->depth) {
    int32_t most = -128;
    uint32_t sum = 0;
    for (int32_t i = 0; i < p->depth; ++i) most = in[i] > most ? in[i] : most;
    for (int32_t i = 0; i < p->depth; ++i)
      if (in[i] - most >= p->diff_min) sum += (uint32_t)tn_divide(exponential(tn_scaled(in[i] - most, p->in)), 12);
    const int32_t zeros = headroom(sum);
    const int32_t one_over = reciprocal((int32_t)((sum << zeros) - 0x80000000u));
    for (int32_t i = 0; i < p->depth; ++i) {
      const int32_t e = exponential(tn_scaled(in[i] - most, p->in));
      const int32_t y = tn_divide(tn_high_mul(one_over, e), 12 - zeros + 23) - 128;
      out[i] = (int8_t)(in[i] - most < p->diff_min ? -128 : tn_clamp(y, -128, 127));
    }
  }
}
