/*
 * As max_pool.c, channels last, as many channels of a window at once as a vector has. BYOC_ELEMENT, BYOC_LOWEST: see
 * there. BYOC_VECTOR, BYOC_LANES: the vector, and its elements; BYOC_SUFFIX: of the intrinsics of the element
 * type; BYOC_GREATER: that of the comparison, without it; BYOC_SOME: the predicate of the first lanes.
 */
#if !defined(__ARM_FEATURE_MVE)
#error "this kernel needs MVE (Armv8.1-M with the M-profile vector extension)"
#endif

#include <arm_mve.h>

#include "byoc_pool.h"
#include "byoc_taps.h"

#define JOIN(name, suffix) name##suffix
#define OF(name, suffix) JOIN(name, suffix)
#define BYOC_OF(name) OF(name, BYOC_SUFFIX)

/* Not-a-number is no element's largest. */
static inline BYOC_VECTOR most_of(BYOC_VECTOR a, BYOC_VECTOR b) {
  return BYOC_OF(vpselq)(b, a, BYOC_OF(BYOC_GREATER)(b, a));
}

static inline void pixel(const byoc_pool_t* p, const BYOC_ELEMENT* x, byoc_taps_t tz, byoc_taps_t ty, byoc_taps_t tx,
                         BYOC_ELEMENT* y, BYOC_ELEMENT lo, BYOC_ELEMENT hi) {
  const byoc_offset_t channels = p->channels, step = p->dilation[2] * channels;
  const BYOC_VECTOR high = BYOC_OF(vdupq_n)(hi);
  int32_t kz, ky, kx, c;
  for (c = 0; c < channels; c += BYOC_LANES) {
    const mve_pred16_t some = BYOC_SOME((uint32_t)(channels - c));
    BYOC_VECTOR most = BYOC_OF(vdupq_n)(BYOC_LOWEST);
    for (kz = tz.first; kz < tz.last; ++kz) {
      for (ky = ty.first; ky < ty.last; ++ky) {
        const byoc_offset_t line =
            (byoc_offset_t)(tz.start + kz * p->dilation[0]) * p->in[1] + ty.start + ky * p->dilation[1];
        const BYOC_ELEMENT* from = x + (line * p->in[2] + tx.start) * channels + tx.first * step + c;
        for (kx = tx.first; kx < tx.last; ++kx, from += step) most = most_of(most, BYOC_OF(vld1q_z)(from, some));
      }
    }
    most = most_of(most, BYOC_OF(vdupq_n)(lo));
    BYOC_OF(vst1q_p)(y + c, BYOC_OF(vpselq)(high, most, BYOC_OF(BYOC_GREATER)(most, high)), some);
  }
}

void BYOC_SYMBOL(const byoc_pool_t* p, const BYOC_ELEMENT* x, BYOC_ELEMENT* y, BYOC_ELEMENT lo, BYOC_ELEMENT hi) {
  const byoc_offset_t in_size = (byoc_offset_t)p->in[0] * p->in[1] * p->in[2] * p->channels;
  int32_t n, oz, oy, ox;
  for (n = 0; n < p->batch; ++n, x += in_size) {
    for (oz = 0; oz < p->out[0]; ++oz) {
      const byoc_taps_t tz = BYOC_TAPS(p, 0, oz);
      for (oy = 0; oy < p->out[1]; ++oy) {
        const byoc_taps_t ty = BYOC_TAPS(p, 1, oy);
        for (ox = 0; ox < p->out[2]; ++ox, y += p->channels) pixel(p, x, tz, ty, BYOC_TAPS(p, 2, ox), y, lo, hi);
      }
    }
  }
}
