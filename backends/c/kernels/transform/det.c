/* Determinants of count matrices of n rows, by elimination with the largest pivot of each column. ws: n * n numbers. */
#include "byoc_element.h"
#include "byoc_squares.h"

static BYOC_T determinant(int32_t n, BYOC_T* m) {
  BYOC_T result = 1;
  int32_t c, r, k;
  for (c = 0; c < n; ++c) {
    int32_t pivot = c;
    for (r = c + 1; r < n; ++r)
      if (BYOC_F(fabs)(m[r * n + c]) > BYOC_F(fabs)(m[pivot * n + c])) pivot = r;
    if (m[pivot * n + c] == 0) return 0;
    if (pivot != c) {
      for (k = c; k < n; ++k) {
        const BYOC_T swapped = m[c * n + k];
        m[c * n + k] = m[pivot * n + k];
        m[pivot * n + k] = swapped;
      }
      result = -result;
    }
    result *= m[c * n + c];
    for (r = c + 1; r < n; ++r) {
      const BYOC_T factor = m[r * n + c] / m[c * n + c];
      for (k = c + 1; k < n; ++k) m[r * n + k] -= factor * m[c * n + k];
    }
  }
  return result;
}

BYOC_OF_SQUARES(BYOC_SYMBOL, BYOC_X) {
  BYOC_T* m = (BYOC_T*)ws;
  int32_t i, k;
  for (i = 0; i < count; ++i) {
    for (k = 0; k < n * n; ++k) m[k] = BYOC_X_LOAD(*x++);
    *y++ = BYOC_X_STORE(determinant(n, m));
  }
}
