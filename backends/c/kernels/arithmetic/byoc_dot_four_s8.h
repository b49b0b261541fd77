/* Sums of products of one int8 row with four others, by whatever the core has: vectors, pairs of 16 bits, or neither.
 */
#ifndef BYOC_DOT_FOUR_S8_H
#define BYOC_DOT_FOUR_S8_H

#include "byoc_dot_s8.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)
#include <arm_mve.h>
#elif defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_UNALIGNED)
#include "byoc_dsp.h"
#endif

/* acc[i] += x by w[i]; sums wrap. n > 0. */
static inline void byoc_dot_four_s8(const int8_t* const* w, const int8_t* x, int32_t n, uint32_t* acc) {
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)
  const int8_t *w0 = w[0], *w1 = w[1], *w2 = w[2], *w3 = w[3];
  int32_t a0 = (int32_t)acc[0], a1 = (int32_t)acc[1], a2 = (int32_t)acc[2], a3 = (int32_t)acc[3], i;
  for (i = 0; i < n; i += 16) {
    const mve_pred16_t some = vctp8q((uint32_t)(n - i));
    const int8x16_t v = vld1q_z_s8(x + i, some);
    a0 = vmladavaq_s8(a0, vld1q_z_s8(w0 + i, some), v);
    a1 = vmladavaq_s8(a1, vld1q_z_s8(w1 + i, some), v);
    a2 = vmladavaq_s8(a2, vld1q_z_s8(w2 + i, some), v);
    a3 = vmladavaq_s8(a3, vld1q_z_s8(w3 + i, some), v);
  }
  acc[0] = (uint32_t)a0, acc[1] = (uint32_t)a1, acc[2] = (uint32_t)a2, acc[3] = (uint32_t)a3;
#elif defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_UNALIGNED)
  const int8_t *w0 = w[0], *w1 = w[1], *w2 = w[2], *w3 = w[3];
  int32_t a0 = (int32_t)acc[0], a1 = (int32_t)acc[1], a2 = (int32_t)acc[2], a3 = (int32_t)acc[3], k;
  for (k = n / 4; k > 0; --k, x += 4, w0 += 4, w1 += 4, w2 += 4, w3 += 4) {
    uint32_t word, even, odd;
    memcpy(&word, x, 4);
    even = byoc_sxtb16(word), odd = byoc_sxtb16_odd(word);
    memcpy(&word, w0, 4);
    a0 = byoc_smlad(byoc_sxtb16_odd(word), odd, byoc_smlad(byoc_sxtb16(word), even, a0));
    memcpy(&word, w1, 4);
    a1 = byoc_smlad(byoc_sxtb16_odd(word), odd, byoc_smlad(byoc_sxtb16(word), even, a1));
    memcpy(&word, w2, 4);
    a2 = byoc_smlad(byoc_sxtb16_odd(word), odd, byoc_smlad(byoc_sxtb16(word), even, a2));
    memcpy(&word, w3, 4);
    a3 = byoc_smlad(byoc_sxtb16_odd(word), odd, byoc_smlad(byoc_sxtb16(word), even, a3));
  }
  acc[0] = (uint32_t)a0, acc[1] = (uint32_t)a1, acc[2] = (uint32_t)a2, acc[3] = (uint32_t)a3;
  for (k = n % 4; k > 0; --k, ++x) {
    acc[0] += (uint32_t)(*w0++ * *x);
    acc[1] += (uint32_t)(*w1++ * *x);
    acc[2] += (uint32_t)(*w2++ * *x);
    acc[3] += (uint32_t)(*w3++ * *x);
  }
#else
  byoc_dot_1x4(w, x, n, acc);
#endif
}

#endif
