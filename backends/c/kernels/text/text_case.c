#include "byoc_text.h"

static uint32_t other_case(const byoc_text_case_t* p, const uint16_t* letters, uint32_t code) {
  int32_t i;
  if (p->upper && code == 0x3c2) return 0x3a3; /* the sigma at the end of words */
  if (code == (p->upper ? 0xffu : 0x178u)) return p->upper ? 0x178u : 0xffu;
  for (i = 0; i < p->ranges; ++i) {
    const uint16_t* l = letters + 3 * i;
    const uint32_t distance = l[2], first = p->upper ? l[0] + distance : l[0];
    if (code < first || code - first > (uint32_t)l[1] - l[0]) continue;
    if (distance == 1 && (code - first) % 2 != 0) continue;
    return p->upper ? code - distance : code + distance;
  }
  return code;
}

static int follows(uint8_t byte) { return (byte & 0xc0u) == 0x80u; }

/* Changes the character that begins at y, of which `left` bytes are there; its length. */
static int32_t change(const byoc_text_case_t* p, const uint16_t* letters, uint8_t* y, int32_t left) {
  if (y[0] < 0x80) {
    y[0] = (uint8_t)other_case(p, letters, y[0]);
    return 1;
  }
  if ((y[0] & 0xe0u) == 0xc0u && left > 1 && follows(y[1])) {
    const uint32_t code = other_case(p, letters, (uint32_t)(y[0] & 0x1fu) << 6 | (y[1] & 0x3fu));
    y[0] = (uint8_t)(0xc0u | code >> 6);
    y[1] = (uint8_t)(0x80u | (code & 0x3fu));
    return 2;
  }
  if ((y[0] & 0xf0u) == 0xe0u && left > 2 && follows(y[1]) && follows(y[2])) {
    const uint32_t code =
        other_case(p, letters, (uint32_t)(y[0] & 0xfu) << 12 | (uint32_t)(y[1] & 0x3fu) << 6 | (y[2] & 0x3fu));
    y[0] = (uint8_t)(0xe0u | code >> 12);
    y[1] = (uint8_t)(0x80u | (code >> 6 & 0x3fu));
    y[2] = (uint8_t)(0x80u | (code & 0x3fu));
    return 3;
  }
  return 1;
}

BYOC_TEXT_CASE(BYOC_SYMBOL) {
  int32_t r;
  for (r = 0; r < p->rows; ++r, x += p->size, y += p->size) {
    int32_t length = 0, at;
    while (length < p->size - 1 && x[length] != 0) ++length;
    memcpy(y, x, (size_t)length);
    memset(y + length, 0, (size_t)(p->size - length));
    for (at = 0; at < length;) at += change(p, letters, y + at, length - at);
  }
}
