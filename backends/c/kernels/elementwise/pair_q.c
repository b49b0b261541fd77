/*
 * Two broadcast quantised operands, element by element. BYOC_A, BYOC_B, BYOC_Y: element types; BYOC_OPERATION: an
 * expression of u and v, the integers without their zero points, and of p. BYOC_PLAIN: it is the result as it is (a
 * comparison), else it is clamped and the output's zero point added.
 */
#include "byoc_pair_q.h"

/* An operand brought to the scale that both share. */
#define BYOC_U byoc_multiply_q31((int32_t)((uint32_t)u << p->left), p->a.multiplier, p->a.shift)
#define BYOC_V byoc_multiply_q31((int32_t)((uint32_t)v << p->left), p->b.multiplier, p->b.shift)
#define BYOC_RESULT(sum) byoc_multiply_q31(sum, p->y.multiplier, p->y.shift)

static inline BYOC_Y operation(const byoc_pair_q_t* p, int32_t u, int32_t v) {
#if defined(BYOC_PLAIN)
  (void)p;
  return (BYOC_Y)(BYOC_OPERATION);
#else
  return (BYOC_Y)(byoc_clamp(BYOC_OPERATION, p->min - p->y.zero, p->max - p->y.zero) + p->y.zero);
#endif
}

/* One run of the last dim. */
static inline void run(const byoc_pair_q_t* p, int32_t count, const BYOC_A* a, int32_t a_stride, const BYOC_B* b,
                       int32_t b_stride, BYOC_Y* y) {
  int32_t i;
  for (i = 0; i < count; ++i, a += a_stride, b += b_stride)
    y[i] = operation(p, (int32_t)*a - p->a.zero, (int32_t)*b - p->b.zero);
}

#include "byoc_pair_loops_q.h"
