/* TFLite's sums of int8 elements along one dim of [outer][count][inner], in steps of x's scale / 2^19. */
#ifndef BYOC_CUM_SUM_S8_H
#define BYOC_CUM_SUM_S8_H

#include "byoc_requant.h"

typedef struct {
  int32_t outer, count, inner;
  int32_t first, step; /* of a row: where its sums begin, and from one element to the next */
  int32_t exclusive;   /* each sum without its own element */
  int32_t start;       /* what every row starts with: the zero point of x taken off once */
  int32_t in_zero;
  int32_t multiplier, shift;
  int32_t zero, min, max;
} byoc_cum_sum_s8_t;

/* y may be x. */
void byoc_cum_sum_s8(const byoc_cum_sum_s8_t* p, const int8_t* x, int8_t* y);

#endif
