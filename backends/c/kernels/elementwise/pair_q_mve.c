/*
 * As pair_q.c, four elements at once. BYOC_OPERATION: an expression of the vectors u and v, and of p. BYOC_LOAD_A,
 * BYOC_LOAD_B, BYOC_STORE: of four elements of BYOC_A, BYOC_B and BYOC_Y; BYOC_COMPARES: the expression is a predicate.
 */
#if !defined(__ARM_FEATURE_MVE)
#error "this kernel needs MVE (Armv8.1-M with the M-profile vector extension)"
#endif

#include <arm_mve.h>

#include "byoc_pair_q.h"

/* byoc_multiply_q31 with `left` more bits. Of a right shift vqrdmlah adds -1 below zero, and then halves that vrshl
   rounds up go away from zero. */
static BYOC_INLINE __attribute__((unused)) int32x4_t byoc_multiply_quad(int32x4_t x, int32_t left,
                                                                        const byoc_factor_t* f) {
  const int32_t right = f->shift < 0 ? f->shift : 0;
  const int32x4_t shifted = vshlq_r_s32(x, left + (f->shift < 0 ? 0 : f->shift));
  const int32x4_t below = vandq_s32(vshrq_n_s32(shifted, 31), vdupq_n_s32(right ? -1 : 0));
  return vrshlq_n_s32(vqrdmlahq_n_s32(below, shifted, f->multiplier), right);
}

#define BYOC_U byoc_multiply_quad(u, p->left, &p->a)
#define BYOC_V byoc_multiply_quad(v, p->left, &p->b)
#define BYOC_RESULT(sum) byoc_multiply_quad(sum, 0, &p->y)

static inline int32x4_t operation(const byoc_pair_q_t* p, int32x4_t u, int32x4_t v) {
#if defined(BYOC_COMPARES)
  return vpselq_s32(vdupq_n_s32(1), vdupq_n_s32(0), BYOC_OPERATION);
#elif defined(BYOC_PLAIN)
  (void)p;
  return BYOC_OPERATION;
#else
  const int32x4_t sum = vqaddq_n_s32(BYOC_OPERATION, p->y.zero);
  return vminq_s32(vmaxq_s32(sum, vdupq_n_s32(p->min)), vdupq_n_s32(p->max));
#endif
}

static BYOC_INLINE void run_of(const byoc_pair_q_t* p, int32_t count, const BYOC_A* a, int has_a, const BYOC_B* b,
                               int has_b, BYOC_Y* y) {
  const int32x4_t all_u = vdupq_n_s32((int32_t)*a - p->a.zero), all_v = vdupq_n_s32((int32_t)*b - p->b.zero);
  int32_t i;
  for (i = 0; i < count; i += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)(count - i));
    const int32x4_t u = has_a ? vsubq_n_s32(BYOC_LOAD_A(a + i, some), p->a.zero) : all_u;
    const int32x4_t v = has_b ? vsubq_n_s32(BYOC_LOAD_B(b + i, some), p->b.zero) : all_v;
    BYOC_STORE((void*)(y + i), operation(p, u, v), some);
  }
}

/* One run of the last dim; strides are 0 or 1. */
static inline void run(const byoc_pair_q_t* parameters, int32_t count, const BYOC_A* a, int32_t a_stride,
                       const BYOC_B* b, int32_t b_stride, BYOC_Y* y) {
  const byoc_pair_q_t here = *parameters; /* or they would be loaded again behind each store */
  if (a_stride && b_stride) {
    run_of(&here, count, a, 1, b, 1, y);
  } else if (a_stride) {
    run_of(&here, count, a, 1, b, 0, y);
  } else if (b_stride) {
    run_of(&here, count, a, 0, b, 1, y);
  } else {
    run_of(&here, count, a, 0, b, 0, y);
  }
}

#include "byoc_pair_loops_q.h"
