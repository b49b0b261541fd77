/* BYOC_X, BYOC_S (scale and bias), BYOC_R (statistics): see byoc_element.h. */
#include "byoc_element.h"
#include "byoc_normalise.h"

BYOC_BATCH_NORMALISE(BYOC_SYMBOL, BYOC_X, BYOC_S, BYOC_R, BYOC_T) {
  int32_t n, c, i;
  for (n = 0; n < p->outer; ++n)
    for (c = 0; c < p->channels; ++c) {
      const BYOC_T centre = (BYOC_T)BYOC_R_LOAD(mean[c]), shift = (BYOC_T)BYOC_S_LOAD(bias[c]);
      const BYOC_T factor = (BYOC_T)BYOC_S_LOAD(scale[c]) / BYOC_F(sqrt)((BYOC_T)BYOC_R_LOAD(variance[c]) + epsilon);
      for (i = 0; i < p->inner; ++i, ++x, ++y) {
        const BYOC_T v = (BYOC_X_LOAD(*x) - centre) * factor + shift;
        *y = BYOC_X_STORE(v < least ? least : v > most ? most : v);
      }
    }
}
