/* The functions of a recurrent layer's gates, on BYOC_T of byoc_element.h. */
#ifndef BYOC_GATE_H
#define BYOC_GATE_H

#include "byoc_element.h"
#include "byoc_recurrent.h"

static inline BYOC_T byoc_gate(const byoc_recurrent_t* p, byoc_gate_function_t f, BYOC_T v) {
  const BYOC_T alpha = (BYOC_T)f.alpha, beta = (BYOC_T)f.beta, clip = (BYOC_T)p->clip;
  if (clip > 0) v = v < -clip ? -clip : v > clip ? clip : v;
  switch (f.kind) {
    case BYOC_AFFINE: return alpha * v + beta;
    case BYOC_ELU: return v < 0 ? alpha * BYOC_F(expm1)(v) : v;
    case BYOC_HARD_SIGMOID: v = alpha * v + beta; return v < 0 ? 0 : v > 1 ? 1 : v;
    case BYOC_LEAKY_RELU: return v < 0 ? alpha * v : v;
    case BYOC_RELU: return v > 0 ? v : 0;
    case BYOC_SCALED_TANH: return alpha * BYOC_F(tanh)(beta * v);
    case BYOC_SIGMOID: return 1 / (1 + BYOC_F(exp)(-v));
    case BYOC_SOFTPLUS: return (v > 0 ? v : 0) + BYOC_F(log1p)(BYOC_F(exp)(v > 0 ? -v : v));
    case BYOC_SOFTSIGN: return v / (1 + (v < 0 ? -v : v));
    case BYOC_THRESHOLDED_RELU: return v > alpha ? v : 0;
    default: return BYOC_F(tanh)(v);
  }
}

#endif
