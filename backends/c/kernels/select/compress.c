#include "byoc_select.h"

BYOC_COMPRESS(BYOC_SYMBOL) {
  const size_t bytes = (size_t)p->bytes;
  const uint8_t* x = (const uint8_t*)from;
  uint8_t* y = (uint8_t*)to;
  const int32_t conditions = p->conditions < p->length ? p->conditions : p->length;
  int32_t count = 0, i, o;
  for (i = 0; i < conditions; ++i) count += condition[i] != 0;
  if (count > p->room) return p->room + 1;
  for (o = 0; o < p->outer; ++o, x += bytes * (size_t)p->length) {
    for (i = 0; i < conditions; ++i) {
      if (!condition[i]) continue;
      memcpy(y, x + bytes * (size_t)i, bytes);
      y += bytes;
    }
    memset(y, 0, bytes * (size_t)(p->room - count));
    y += bytes * (size_t)(p->room - count);
  }
  return count;
}
