/* start, start + delta ... of a stated length. BYOC_X: see byoc_element.h; BYOC_REAL where it is a float. */
#include "byoc_arrange.h"
#include "byoc_element.h"

#if defined(BYOC_REAL)
typedef double number_t;
#else
typedef int64_t number_t;
#endif

/* Steps of delta from start that stay before limit. */
static int is_length(number_t start, number_t limit, number_t delta, int32_t count) {
#if defined(BYOC_REAL)
  const double length = ceil((limit - start) / delta);
  return length > 0 ? length == (double)count : count == 0;
#else
  const uint64_t distance = delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
  if (delta > 0 ? start >= limit : start <= limit) return count == 0;
  return (distance - 1) / (delta > 0 ? (uint64_t)delta : 0u - (uint64_t)delta) + 1 == (uint64_t)count;
#endif
}

BYOC_RANGE(BYOC_SYMBOL, BYOC_X) {
  const number_t from = (number_t)BYOC_X_LOAD(*start), step = (number_t)BYOC_X_LOAD(*delta);
  int32_t i;
  if (step == 0 || !is_length(from, (number_t)BYOC_X_LOAD(*limit), step, count)) return 1;
  for (i = 0; i < count; ++i) {
#if defined(BYOC_REAL)
    to[i] = BYOC_X_STORE((BYOC_X_WORK)(from + (double)i * step));
#else
    to[i] = (BYOC_X)((uint64_t)from + (uint64_t)i * (uint64_t)step);
#endif
  }
  return 0;
}
