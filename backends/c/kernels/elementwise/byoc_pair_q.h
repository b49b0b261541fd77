/* Two broadcast quantised operands, element by element, in TFLite's arithmetic. */
#ifndef BYOC_PAIR_Q_H
#define BYOC_PAIR_Q_H

#include "byoc_requant.h"

#define BYOC_PAIR_RANK 6

/* A tensor: its zero point, and what its integers, or those of the result, are multiplied by. */
typedef struct {
  int32_t zero, multiplier, shift;
} byoc_factor_t;

/* The output is dense over dims; strides are in elements, 0 where an operand is broadcast. */
typedef struct {
  int32_t rank;
  int32_t dims[BYOC_PAIR_RANK], a_stride[BYOC_PAIR_RANK], b_stride[BYOC_PAIR_RANK];
  byoc_factor_t a, b, y;
  int32_t left; /* bits that both operands are shifted left by before they are multiplied */
  int32_t min, max;
  const int32_t* reciprocal; /* of a quotient: for each |divisor| */
} byoc_pair_q_t;

/* y may be an operand that is not broadcast, where both elements have one size. */
#define BYOC_PAIR_Q(name, A, B, Y) void name(const byoc_pair_q_t* p, const A* a, const B* b, Y* y)

/* Bits that v can be shifted left by. */
static inline int32_t byoc_headroom(int32_t v) {
  uint32_t bits = v < 0 ? ~(uint32_t)v : (uint32_t)v;
  int32_t n = -1;
  while (n < 31 && !(bits & 0x80000000u)) {
    bits <<= 1;
    ++n;
  }
  return n;
}

/* u / v by the reciprocal of the divisor in [1/2, 1], times the result's factor; 0 for a division by zero. */
static inline int32_t byoc_quotient(const byoc_pair_q_t* p, int32_t u, int32_t v) {
  const int32_t divisor = v < 0 ? -v : v, dividend = v < 0 ? -u : u;
  const int32_t headroom = byoc_headroom(dividend);
  const int32_t shift = p->y.shift - (30 - byoc_headroom(divisor)) - headroom;
  int32_t quotient;
  if (v == 0) return 0;
  quotient = byoc_multiply_q31((int32_t)((uint32_t)dividend << headroom), p->reciprocal[divisor], 0);
  return byoc_multiply_q31(quotient, p->y.multiplier, shift > 0 ? 0 : shift < -31 ? -31 : shift);
}

#endif
