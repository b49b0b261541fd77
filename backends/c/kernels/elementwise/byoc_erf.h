/* The error function. That of C libraries for floats takes twice the instructions. */
#ifndef BYOC_ERF_H
#define BYOC_ERF_H

#include "byoc_exp_f32.h"

static inline double byoc_erf(double x) { return erf(x); }

/* To 2 units in the last place; polynomials as in byoc_functions_f32_mve.h. */
static inline float byoc_erff(float x) {
  const float size = x < 0.0f ? -x : x;
  float p;
  if (size <= 0.95f) {
    const float square = x * x;
    p = 8.185093611e-5f;
    p = p * square - 0.000809770369f;
    p = p * square + 0.00519695226f;
    p = p * square - 0.0268577058f;
    p = p * square + 0.112836637f;
    p = p * square - 0.376126319f;
    p = p * square + 0.128379166f;
    return x + p * x;
  }
  if (!(size < 3.95f)) return x != x ? x : x < 0.0f ? -1.0f : 1.0f;
  p = -0.000192425097f;
  p = p * size + 0.00300852815f;
  p = p * size - 0.0220876075f;
  p = p * size + 0.10364026f;
  p = p * size + 0.637517095f;
  p = p * size + 1.1274749f;
  p = p * size + 0.000244723313f;
  p = 1.0f - byoc_exponential_f32(-p);
  return x < 0.0f ? -p : p;
}

#endif
