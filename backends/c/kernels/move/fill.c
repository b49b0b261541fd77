/* BYOC_ELEMENT: an unsigned integer of the element's size. */
#include "byoc_fill.h"

void BYOC_SYMBOL(int32_t count, BYOC_ELEMENT value, void* to) {
  BYOC_ELEMENT* y = (BYOC_ELEMENT*)to;
  int32_t i;
  for (i = 0; i < count; ++i) y[i] = value;
}
