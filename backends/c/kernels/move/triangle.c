#include "byoc_arrange.h"

void BYOC_SYMBOL(const byoc_triangle_t* p, const void* from, int64_t k, void* to) {
  const size_t row = (size_t)p->columns * (size_t)p->size;
  const uint8_t* x = (const uint8_t*)from;
  uint8_t* y = (uint8_t*)to;
  const int32_t diagonal = (int32_t)(k > p->columns ? p->columns : k < -p->rows ? -p->rows : k);
  int32_t m, r;
  for (m = 0; m < p->matrices; ++m) {
    for (r = 0; r < p->rows; ++r, x += row, y += row) {
      /* The upper triangle begins at column r + k, the lower one ends there. */
      const int32_t edge = r + diagonal + (p->upper ? 0 : 1);
      const size_t bytes = (size_t)(edge < 0 ? 0 : edge > p->columns ? p->columns : edge) * (size_t)p->size;
      if (p->upper) {
        memset(y, 0, bytes);
        memcpy(y + bytes, x + bytes, row - bytes);
      } else {
        memcpy(y, x, bytes);
        memset(y + bytes, 0, row - bytes);
      }
    }
  }
}
