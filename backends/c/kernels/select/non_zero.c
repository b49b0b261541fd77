/* BYOC_X: see byoc_element.h. */
#include "byoc_element.h"
#include "byoc_select.h"

BYOC_NON_ZERO(BYOC_SYMBOL, BYOC_X) {
  int32_t count = 0, i, d;
  for (i = 0; i < p->elements; ++i) {
    int32_t rest = i;
    if (BYOC_X_LOAD(x[i]) == 0) continue;
    if (count == p->room) return p->room + 1;
    for (d = p->rank - 1; d >= 0; --d) {
      y[(byoc_offset_t)d * p->of_dim + (byoc_offset_t)count * p->of_place] = rest % dims[d];
      rest /= dims[d];
    }
    ++count;
  }
  for (d = 0; d < p->rank; ++d)
    for (i = count; i < p->room; ++i) y[(byoc_offset_t)d * p->of_dim + (byoc_offset_t)i * p->of_place] = 0;
  return count;
}
