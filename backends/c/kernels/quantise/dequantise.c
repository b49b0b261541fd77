/* BYOC_FROM: the element type. */
#include "byoc_quantise.h"

BYOC_DEQUANTISE(BYOC_SYMBOL, BYOC_FROM) {
  int32_t o, c, i;
  for (o = 0; o < p->outer; ++o) {
    for (c = 0; c < p->channels; ++c) {
      const float scale = p->scale[c];
      const int32_t zero = p->zero[c];
      for (i = 0; i < p->inner; ++i) {
#if defined(BYOC_FROM_WIDE) && !defined(BYOC_REQUANT_ONNX)
        *y++ = (float)((double)scale * (double)((int64_t)*x++ - zero));
#elif defined(BYOC_FROM_WIDE)
        *y++ = (float)((int64_t)*x++ - zero) * scale;
#else
        *y++ = (float)((int32_t)*x++ - zero) * scale;
#endif
      }
    }
  }
}
