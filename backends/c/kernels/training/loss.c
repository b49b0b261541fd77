/*
 * BYOC_X: see byoc_element.h. BYOC_LABEL: the type of the labels. BYOC_REDUCTION: 0 none, 1 sum, 2 mean.
 * BYOC_LOG_SOFTMAX: the scores have not been through a softmax.
 */
#include "byoc_element.h"
#include "byoc_training.h"

/*
 * A sum that carries what rounding cut off (Kahan): losses have many small terms. From an infinity, the loss of an
 * impossible label, nothing is cut off.
 */
typedef struct {
  BYOC_T sum, lost;
} total_t;

static inline void add(total_t* t, BYOC_T v) {
  const BYOC_T whole = v - t->lost, sum = t->sum + whole;
  t->lost = sum - sum == 0 ? (sum - t->sum) - whole : 0;
  t->sum = sum;
}

BYOC_LOSS(BYOC_SYMBOL, BYOC_X, BYOC_LABEL) {
  total_t sum = {0, 0}, weight_sum = {0, 0};
  int32_t n, i;
  for (n = 0; n < p->batch; ++n, x += (byoc_offset_t)p->classes * p->inner) {
    for (i = 0; i < p->inner; ++i, ++labels) {
      const BYOC_LABEL label = *labels;
      BYOC_T loss = 0, shift = 0;
#if defined(BYOC_LOG_SOFTMAX)
      BYOC_T most = BYOC_LOWEST, total = 0;
      int32_t c;
      for (c = 0; c < p->classes; ++c) {
        const BYOC_T v = BYOC_X_LOAD(x[(byoc_offset_t)c * p->inner + i]);
        most = v > most ? v : most;
      }
      for (c = 0; c < p->classes; ++c) total += BYOC_F(exp)(BYOC_X_LOAD(x[(byoc_offset_t)c * p->inner + i]) - most);
      total = BYOC_F(log)(total);
      shift = most;
      if (log_prob)
        for (c = 0; c < p->classes; ++c) {
          const byoc_offset_t at = (byoc_offset_t)c * p->inner + i;
          log_prob[(byoc_offset_t)n * p->classes * p->inner + at] = BYOC_X_STORE((BYOC_X_LOAD(x[at]) - shift) - total);
        }
#else
      const BYOC_T total = 0;
      (void)log_prob;
#endif
      if (label >= 0 && label < p->classes && !(p->ignores && label == p->ignored)) {
        const BYOC_T weight = weights ? (BYOC_T)BYOC_X_LOAD(weights[label]) : 1;
        loss = -weight * ((BYOC_X_LOAD(x[(byoc_offset_t)label * p->inner + i]) - shift) - total);
        add(&weight_sum, weight);
      }
#if BYOC_REDUCTION == 0
      *y++ = BYOC_X_STORE(loss);
#else
      add(&sum, loss);
#endif
    }
  }
#if BYOC_REDUCTION == 0
  (void)sum;
  (void)weight_sum;
#elif BYOC_REDUCTION == 1
  (void)weight_sum;
  *y = BYOC_X_STORE(sum.sum);
#else
  *y = BYOC_X_STORE(sum.sum / weight_sum.sum);
#endif
}
