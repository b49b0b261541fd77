/*
 * BYOC_X, BYOC_S (scale and bias): see byoc_element.h. BYOC_RUNNING: the running form, whose statistics are BYOC_R.
 * BYOC_EPSILON_OUTSIDE: epsilon is added to the deviation instead of the variance. BYOC_ABOUT_ZERO: the mean counts as
 * zero, so that elements are divided by the root of their mean square. BYOC_MANY: see byoc_sum.h.
 */
#include "byoc_normalise.h"

#include "byoc_element.h"
#include "byoc_sum.h"

/* The mean is pivot + shift. Differences to an element of the group are small where the group's elements are close
   together, and then there is nothing left of them that rounding could enlarge. */
typedef struct {
  BYOC_T pivot, shift, variance;
} moments_t;

static moments_t moments(const byoc_normalise_t* p, const BYOC_X* x) {
  const int32_t* n = p->reduced;
  const int32_t* s = p->x_reduced;
  const BYOC_T count = (BYOC_T)n[0] * (BYOC_T)n[1] * (BYOC_T)n[2] * (BYOC_T)n[3];
  moments_t m = {0, 0, 0};
  byoc_sum_t squares = BYOC_NO_SUM;
  int32_t a, b, c, d;
#if !defined(BYOC_ABOUT_ZERO)
  byoc_sum_t differences = BYOC_NO_SUM;
  if (count > 0) m.pivot = BYOC_X_LOAD(*x);
  for (a = 0; a < n[0]; ++a)
    for (b = 0; b < n[1]; ++b)
      for (c = 0; c < n[2]; ++c) {
        const BYOC_X* from = x + (byoc_offset_t)a * s[0] + (byoc_offset_t)b * s[1] + (byoc_offset_t)c * s[2];
        for (d = 0; d < n[3]; ++d, from += s[3]) byoc_add(&differences, BYOC_X_LOAD(*from) - m.pivot);
      }
  m.shift = byoc_total(&differences) / count;
#endif
  for (a = 0; a < n[0]; ++a)
    for (b = 0; b < n[1]; ++b)
      for (c = 0; c < n[2]; ++c) {
        const BYOC_X* from = x + (byoc_offset_t)a * s[0] + (byoc_offset_t)b * s[1] + (byoc_offset_t)c * s[2];
        for (d = 0; d < n[3]; ++d, from += s[3]) {
          const BYOC_T v = BYOC_X_LOAD(*from) - m.pivot - m.shift;
          byoc_add(&squares, v * v);
        }
      }
  m.variance = byoc_total(&squares) / count;
  return m;
}

static void apply(const byoc_normalise_t* p, moments_t m, BYOC_T inverse, const BYOC_X* x, const BYOC_S* scale,
                  const BYOC_S* bias, BYOC_X* y) {
  const int32_t* n = p->reduced;
  int32_t a, b, c, d;
  for (a = 0; a < n[0]; ++a)
    for (b = 0; b < n[1]; ++b)
      for (c = 0; c < n[2]; ++c) {
        const int32_t* s = p->x_reduced;
        byoc_offset_t i = (byoc_offset_t)a * s[0] + (byoc_offset_t)b * s[1] + (byoc_offset_t)c * s[2];
        const BYOC_S *g = scale, *o = bias;
        s = p->scale_reduced;
        if (g) g += (byoc_offset_t)a * s[0] + (byoc_offset_t)b * s[1] + (byoc_offset_t)c * s[2];
        s = p->bias_reduced;
        if (o) o += (byoc_offset_t)a * s[0] + (byoc_offset_t)b * s[1] + (byoc_offset_t)c * s[2];
        for (d = 0; d < n[3]; ++d, i += p->x_reduced[3]) {
          BYOC_T v = (BYOC_X_LOAD(x[i]) - m.pivot - m.shift) * inverse;
          if (g) {
            v *= (BYOC_T)BYOC_S_LOAD(*g);
            g += p->scale_reduced[3];
          }
          if (o) {
            v += (BYOC_T)BYOC_S_LOAD(*o);
            o += p->bias_reduced[3];
          }
          y[i] = BYOC_X_STORE(v);
        }
      }
}

#if defined(BYOC_RUNNING)
BYOC_NORMALISE_RUNNING(BYOC_SYMBOL, BYOC_X, BYOC_S, BYOC_R, BYOC_T) {
#else
BYOC_NORMALISE(BYOC_SYMBOL, BYOC_X, BYOC_S, BYOC_T) {
#endif
  const int32_t* n = p->kept;
  int32_t a, b, c, d, group = 0;
  for (a = 0; a < n[0]; ++a)
    for (b = 0; b < n[1]; ++b)
      for (c = 0; c < n[2]; ++c)
        for (d = 0; d < n[3]; ++d, ++group) {
          const int32_t* s = p->x_kept;
          const byoc_offset_t i =
              (byoc_offset_t)a * s[0] + (byoc_offset_t)b * s[1] + (byoc_offset_t)c * s[2] + (byoc_offset_t)d * s[3];
          const BYOC_S *g = scale, *o = bias;
          const moments_t m = moments(p, x + i);
          const BYOC_T centre = m.pivot + m.shift;
#if defined(BYOC_EPSILON_OUTSIDE)
          const BYOC_T factor = 1 / (BYOC_F(sqrt)(m.variance) + epsilon);
#else
          const BYOC_T factor = 1 / BYOC_F(sqrt)(m.variance + epsilon);
#endif
          s = p->scale_kept;
          if (g)
            g += (byoc_offset_t)a * s[0] + (byoc_offset_t)b * s[1] + (byoc_offset_t)c * s[2] + (byoc_offset_t)d * s[3];
          s = p->bias_kept;
          if (o)
            o += (byoc_offset_t)a * s[0] + (byoc_offset_t)b * s[1] + (byoc_offset_t)c * s[2] + (byoc_offset_t)d * s[3];
          apply(p, m, factor, x + i, g, o, y + i);
#if defined(BYOC_RUNNING)
          if (mean)
            mean[group] = BYOC_R_STORE((BYOC_T)BYOC_R_LOAD(old_mean[group]) * momentum + centre * (1 - momentum));
          if (variance)
            variance[group] =
                BYOC_R_STORE((BYOC_T)BYOC_R_LOAD(old_variance[group]) * momentum + m.variance * (1 - momentum));
#else
          if (mean) mean[group] = centre;
          if (inverse) inverse[group] = factor;
#endif
        }
}
