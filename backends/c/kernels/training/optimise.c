/* BYOC_X, BYOC_RATE: see byoc_element.h. One of BYOC_ADAGRAD, BYOC_ADAM, BYOC_MOMENTUM, BYOC_NESTEROV. */
#include "byoc_element.h"
#include "byoc_training.h"

BYOC_OPTIMISE(BYOC_SYMBOL, BYOC_X, BYOC_RATE) {
  const BYOC_T alpha = (BYOC_T)p->alpha, beta = (BYOC_T)p->beta, epsilon = (BYOC_T)p->epsilon;
  const BYOC_T decay = (BYOC_T)p->decay, t = (BYOC_T)*updates;
  BYOC_T factor = (BYOC_T)*rate;
#if defined(BYOC_MOMENTUM) || defined(BYOC_NESTEROV)
  const BYOC_T fresh = t > 0 ? beta : 1;
#elif defined(BYOC_ADAM)
  if (t > 0) factor *= BYOC_F(sqrt)(1 - BYOC_F(pow)(beta, t)) / (1 - BYOC_F(pow)(alpha, t));
#else
  factor /= 1 + t * alpha;
#endif
  int32_t i;
  (void)beta;
  (void)epsilon;
  (void)h;
  (void)h_new;
  for (i = 0; i < p->count; ++i) {
    const BYOC_T was = x[i], g = decay * was + (BYOC_T)gradient[i];
    BYOC_T state = v[i], now;
#if defined(BYOC_ADAGRAD)
    state += g * g;
    now = was - factor * g / (BYOC_F(sqrt)(state) + epsilon);
#elif defined(BYOC_ADAM)
    const BYOC_T square = beta * h[i] + (1 - beta) * g * g;
    state = alpha * state + (1 - alpha) * g;
    now = (1 - (BYOC_T)p->decay_after) * (was - factor * state / (BYOC_F(sqrt)(square) + epsilon));
    if (h_new) h_new[i] = square;
#else
    state = alpha * state + fresh * g;
#if defined(BYOC_NESTEROV)
    now = was - factor * (g + alpha * state);
#else
    now = was - factor * state;
#endif
#endif
    if (x_new) x_new[i] = now;
    if (v_new) v_new[i] = state;
  }
}
