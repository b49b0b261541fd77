/* How many of the ascending boundaries each element is not below. BYOC_ELEMENT: the element's type; BYOC_REAL: what it
   is compared as. */
#include "byoc_bucketize.h"

BYOC_BUCKETIZE(BYOC_SYMBOL, BYOC_ELEMENT) {
  int32_t i;
  for (i = 0; i < count; ++i) {
    const BYOC_REAL v = (BYOC_REAL)x[i];
    int32_t low = 0, high = boundary_count;
    while (low < high) {
      const int32_t middle = low + (high - low) / 2;
      if (v < (BYOC_REAL)boundaries[middle])
        high = middle;
      else
        low = middle + 1;
    }
    y[i] = low;
  }
}
