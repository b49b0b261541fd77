/* Losses and optimiser steps. */
#ifndef BYOC_TRAINING_H
#define BYOC_TRAINING_H

#include "byoc_kernel.h"

/* Scores are [batch][classes][inner]. */
typedef struct {
  int32_t batch, classes, inner;
  int32_t ignores; /* labels equal to `ignored` count for nothing */
  int64_t ignored;
} byoc_loss_t;

/* weights may be null; log_prob too, which only the loss of scores before the softmax has. Labels that name no class
   count for nothing. */
#define BYOC_LOSS(name, X, L) \
  void name(const byoc_loss_t* p, const X* x, const L* labels, const X* weights, X* y, X* log_prob)

/* One tensor's step. states are v (and for Adam h) before and after; outputs may be null. */
typedef struct {
  int32_t count;
  float alpha, beta, epsilon, decay, decay_after;
} byoc_optimiser_t;

#define BYOC_OPTIMISE(name, X, R)                                                                            \
  void name(const byoc_optimiser_t* p, const R* rate, const int64_t* updates, const X* x, const X* gradient, \
            const X* v, const X* h, X* x_new, X* v_new, X* h_new)

#endif
