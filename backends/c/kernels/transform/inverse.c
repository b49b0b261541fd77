/* Inverses of count matrices of n rows, by elimination of both triangles with the largest pivot of each column. A
   matrix that has none gives infinities and NaN. ws: n * 2n numbers, each matrix with the identity beside it. */
#include "byoc_element.h"
#include "byoc_squares.h"

static void swap_rows(BYOC_T* a, BYOC_T* b, int32_t columns) {
  int32_t k;
  for (k = 0; k < columns; ++k) {
    const BYOC_T swapped = a[k];
    a[k] = b[k];
    b[k] = swapped;
  }
}

static void eliminate(int32_t n, BYOC_T* m) {
  const int32_t columns = 2 * n;
  int32_t c, r, k;
  for (c = 0; c < n; ++c) {
    BYOC_T* row = m + c * columns;
    BYOC_T scale;
    int32_t pivot = c;
    for (r = c + 1; r < n; ++r)
      if (BYOC_F(fabs)(m[r * columns + c]) > BYOC_F(fabs)(m[pivot * columns + c])) pivot = r;
    if (pivot != c) swap_rows(row, m + pivot * columns, columns);
    scale = 1 / row[c];
    for (k = c; k < columns; ++k) row[k] *= scale;
    for (r = 0; r < n; ++r) {
      const BYOC_T factor = m[r * columns + c];
      if (r == c) continue;
      for (k = c; k < columns; ++k) m[r * columns + k] -= factor * row[k];
    }
  }
}

BYOC_OF_SQUARES(BYOC_SYMBOL, BYOC_X) {
  BYOC_T* m = (BYOC_T*)ws;
  int32_t i, r, k;
  for (i = 0; i < count; ++i) {
    for (r = 0; r < n; ++r)
      for (k = 0; k < n; ++k) {
        m[r * 2 * n + k] = BYOC_X_LOAD(*x++);
        m[r * 2 * n + n + k] = r == k ? 1 : 0;
      }
    eliminate(n, m);
    for (r = 0; r < n; ++r)
      for (k = 0; k < n; ++k) *y++ = BYOC_X_STORE(m[r * 2 * n + n + k]);
  }
}
