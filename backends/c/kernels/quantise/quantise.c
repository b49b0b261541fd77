/* BYOC_FROM, BYOC_TO: element types. BYOC_LOW, BYOC_HIGH: the range of BYOC_TO. */
#include "byoc_quantise.h"

#if defined(BYOC_REQUANT_ONNX)
#define NEAREST byoc_round_even
#else
/* float to the nearest int32, halves away from zero; |x| below 2^22, where x + 0.5 would round only below 1/2. */
static inline int32_t byoc_round_away(float x) {
  const int32_t whole = (int32_t)x; /* towards zero, so the rest is exact */
  const float rest = x - (float)whole;
  return whole + (rest >= 0.5f) - (rest <= -0.5f);
}
#define NEAREST byoc_round_away
#endif

BYOC_QUANTISE(BYOC_SYMBOL, BYOC_FROM, BYOC_TO) {
  int32_t o, c, i;
  for (o = 0; o < p->outer; ++o) {
    for (c = 0; c < p->channels; ++c) {
      const float scale = p->scale[c];
      const int32_t zero = p->zero[c];
      /* At and beyond these the result is an end of the range. */
      const float least = (float)(BYOC_LOW - zero), most = (float)(BYOC_HIGH - zero);
      for (i = 0; i < p->inner; ++i) {
        const float v = (float)*x++ / scale;
        int32_t q = BYOC_HIGH;
        if (!(v > least)) {
          q = BYOC_LOW; /* not-a-number too */
        } else if (v < most) {
          q = NEAREST(v) + zero;
        }
        *y++ = (BYOC_TO)q;
      }
    }
  }
}
