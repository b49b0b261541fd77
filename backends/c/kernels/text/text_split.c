#include "byoc_text.h"

static int is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static int32_t length_of(const uint8_t* x, int32_t size) {
  int32_t n = 0;
  while (n < size - 1 && x[n] != 0) ++n;
  return n;
}

/* Where the next piece ends, at or behind `at`; `length` where nothing cuts. */
static int32_t end_of(const byoc_text_split_t* p, const uint8_t* delimiter, const uint8_t* x, int32_t at,
                      int32_t length) {
  for (; at < length; ++at) {
    if (p->length == 0 ? is_space(x[at])
                       : at + p->length <= length && memcmp(x + at, delimiter, (size_t)p->length) == 0)
      return at;
  }
  return length;
}

/* The pieces of one string, or room + 1. */
static int32_t split_one(const byoc_text_split_t* p, const uint8_t* delimiter, const uint8_t* x, uint8_t* y) {
  const int32_t length = length_of(x, p->size);
  int32_t count = 0, at = 0;
  if (y != NULL) memset(y, 0, (size_t)p->room * (size_t)p->size);
  for (;;) {
    int32_t end;
    if (p->length == 0) {
      while (at < length && is_space(x[at])) ++at;
      if (at == length) return count;
    }
    end = count < p->cuts ? end_of(p, delimiter, x, at, length) : length;
    if (count == p->room) return p->room + 1;
    if (y != NULL) memcpy(y + (size_t)count * (size_t)p->size, x + at, (size_t)(end - at));
    ++count;
    if (end == length) return count;
    at = end + p->length;
  }
}

BYOC_TEXT_SPLIT(BYOC_SYMBOL) {
  int32_t most = 0, r;
  for (r = 0; r < p->rows; ++r, x += p->size) {
    const int32_t count =
        split_one(p, delimiter, x, y == NULL ? NULL : y + (size_t)r * (size_t)p->room * (size_t)p->size);
    if (count > p->room) return count;
    if (counts != NULL) counts[r] = count;
    if (count > most) most = count;
  }
  return most;
}
