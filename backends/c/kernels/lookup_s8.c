/* A function of one int8 element as a table of 256 entries. */
#include "byoc_lookup_s8.h"

void BYOC_SYMBOL(int32_t count, const int8_t* table, const int8_t* x, int8_t* y) {
  const int8_t* middle = table + 128;
  for (; count > 0; --count) *y++ = middle[*x++];
}
