/*
 * int8 fully connected layer with MVE: eight units at a time, 16 elements each. The last 1 to 16 elements of a row come
 * first and stay in a register.
 *
 * Weights: units in eights, [eight][block][unit][16], the last block of 16 elements before the others and filled up
 * with zeros; then those that are left, [unit][block][16].
 *
 * With BYOC_WEIGHT_BITS of 4 or 2 a vector has those of two or four, the first in its lowest bits: of an eight of units
 * two or four units, of those that are left two or four blocks, filled up at the end. Needs: depth below 2^17.
 */
#include "byoc_fully_connected_s8.h"
#include "byoc_packed_mve.h"
#include "byoc_units_mve.h"

#if !defined(BYOC_REQUANT_ONNX) && !defined(BYOC_REQUANT_EXACT)
/* The results of eight units from their sums, 0, 2, 4, 6 and 1, 3, 5, 7, where one scale below 1/2 is for all. */
static inline void store_eight(byoc_quad_t even, byoc_quad_t odd, const byoc_requant_t* r, const int32_t* bias,
                               byoc_channel_mve_t channel, byoc_quad_t lanes, int8_t* y) {
  byoc_quad_t x;
  /* Inputs: even, odd: sums of units 0, 2, 4, 6 and 1, 3, 5, 7; bias: of the first; lanes: 0, 2, 4, 6; scale,
     shift, zero; y.
     Outputs: bias: at the second; even, odd: used up.
     Clobbers: x; memory: eight bytes at y.
     Holds: a result is (sum + bias), scaled, plus zero and saturated to int8, in the order of units. */
  __asm__ volatile(
      "vldrw.u32 %q[x], [%[bias], %q[lanes], uxtw #2]\n\t"
      "add %[bias], %[bias], #4\n\t"
      "vadd.i32 %q[even], %q[even], %q[x]\n\t"
      "vldrw.u32 %q[x], [%[bias], %q[lanes], uxtw #2]\n\t"
      "vadd.i32 %q[odd], %q[odd], %q[x]\n\t" BYOC_SCALE_QUAD("x", "even") BYOC_SCALE_QUAD("even", "odd")
      "vqmovnb.s32 %q[x], %q[x]\n\t"
      "vqmovnt.s32 %q[x], %q[even]\n\t"
      "vqadd.s16 %q[x], %q[x], %[zero]\n\t"
      "vqmovnb.s16 %q[x], %q[x]\n\t"
      "vstrb.16 %q[x], [%[y]]\n\t"
      : [even] "+&w"(even), [odd] "+&w"(odd), [x] "=&w"(x), [bias] "+&r"(bias)
      : [scale] "r"(channel.scale), [shift] "r"(channel.shift), [zero] "r"(r->zero), [lanes] "w"(lanes), [y] "l"(y)
      : "memory");
}
#endif

/* 16 elements with those of two units. Weights of 4 bits are 16 times as large in the first one, whose sums are made
   smaller at the end. */
#if BYOC_WEIGHT_BITS == 4
#define BYOC_TWO(multiply, first, second, x)                                                                      \
  "vldrb.u8 %q[odd], [%[w]], #16\n\t"                                                                             \
  "vshl.i8 %q[even], %q[odd], #4\n\t"                                                                             \
  "vshr.s8 %q[odd], %q[odd], #4\n\t" multiply " " first ", %q[" x "], %q[even]\n\t" multiply " " second ", %q[" x \
  "], %q[odd]\n\t"
#define BYOC_TAKEN "vshr.s32 %q[even], %q[even], #4\n\t"
#else
#define BYOC_TAKEN
#define BYOC_TWO(multiply, first, second, x)                                                                       \
  "vldrb.u8 %q[even], [%[w]], #16\n\t"                                                                             \
  "vldrb.u8 %q[odd], [%[w]], #16\n\t" multiply " " first ", %q[" x "], %q[even]\n\t" multiply " " second ", %q[" x \
  "], %q[odd]\n\t"
#endif
#if BYOC_WEIGHT_BITS == 2
#define BYOC_FOUR(multiply, a, b, c, d, x)                                                                 \
  "vldrb.u8 %q[held], [%[w]], #16\n\t"                                                                     \
  "vshl.i8 %q[even], %q[held], #6\n\t"                                                                     \
  "vshl.i8 %q[odd], %q[held], #4\n\t"                                                                      \
  "vshr.s8 %q[even], %q[even], #6\n\t"                                                                     \
  "vshr.s8 %q[odd], %q[odd], #6\n\t" multiply " " a ", %q[" x "], %q[even]\n\t" multiply " " b ", %q[" x   \
  "], %q[odd]\n\t"                                                                                         \
  "vshl.i8 %q[even], %q[held], #2\n\t"                                                                     \
  "vshr.s8 %q[odd], %q[held], #6\n\t"                                                                      \
  "vshr.s8 %q[even], %q[even], #6\n\t" multiply " " c ", %q[" x "], %q[even]\n\t" multiply " " d ", %q[" x \
  "], %q[odd]\n\t"
#else
#define BYOC_FOUR(multiply, a, b, c, d, x) BYOC_TWO(multiply, a, b, x) BYOC_TWO(multiply, c, d, x)
#endif
/* With those of eight: 16 instructions for 128 products, 20 with 4 bits, 26 with 2. */
#define BYOC_EIGHT(multiply, x) \
  BYOC_FOUR(multiply, "r0", "r2", "r4", "r6", x) BYOC_FOUR(multiply, "r8", "r10", "r12", "lr", x)

/* The sums of eight units over `blocks` times 16 elements and `last`, and the weights behind. They take every even
   register that there is, the link register too. */
static inline const int8_t* dot_eight(const int8_t* w, const int8_t* x, byoc_quad_t last, int32_t blocks,
                                      byoc_quad_t* first, byoc_quad_t* second) {
  byoc_quad_t even, odd, row, held;
  /* Inputs: w: 16 weights a unit and block; x: 16 elements a block; n: blocks, 0 too; last: the elements of the
     first block of weights.
     Outputs: even, odd: sums of units 0, 2, 4, 6 and 1, 3, 5, 7; w and x behind what was read; n: 0.
     Clobbers: row, held; r0, r2, r4, r6, r8, r10, r12, lr: the sums of the units; flags; memory is read.
     Holds: each sum += 16 products a block. Vector instructions leave the flags alone: an odd number of blocks
     starts in the middle. */
  __asm__ volatile(
      "lsrs %[n], %[n], #1\n\t"
      BYOC_EIGHT("vmladav.s8", "last")
      "adc %[n], %[n], #0\n\t"
      "bcs 2f\n\t"
      "beq 3f\n\t"
      "1:\n\t"
      "vldrb.u8 %q[row], [%[x]], #16\n\t"
      BYOC_EIGHT("vmladava.s8", "row")
      "2:\n\t"
      "vldrb.u8 %q[row], [%[x]], #16\n\t"
      BYOC_EIGHT("vmladava.s8", "row")
      "subs %[n], %[n], #1\n\t"
      "bne 1b\n\t"
      "3:\n\t"
      "vmov %q[even][2], %q[even][0], r0, r8\n\t"
      "vmov %q[even][3], %q[even][1], r4, r12\n\t"
      "vmov %q[odd][2], %q[odd][0], r2, r10\n\t"
      "vmov %q[odd][3], %q[odd][1], r6, lr\n\t" BYOC_TAKEN
      : [even] "=&w"(even), [odd] "=&w"(odd), [row] "=&w"(row), [held] "=&w"(held), [w] "+r"(w), [x] "+r"(x),
        [n] "+r"(blocks)
      : [last] "w"(last)
      : "r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr", "cc", "memory");
  *first = even;
  *second = odd;
  return w;
}

/* The same of one unit. */
#if BYOC_WEIGHT_BITS < 8
static inline const int8_t* dot_one(const int8_t* w, const int8_t* x, byoc_quad_t last, int32_t blocks, int32_t* sum) {
  /* How far the weights of a block go up in their vector, where nothing is above them. */
  int32_t a, up = 8 - 2 * BYOC_WEIGHT_BITS;
  /* Inputs: w: packed weights of one unit; x: 16 elements a block; n: blocks, 0 too; last: the elements of the
     first block; up: 8 - 2 * bits.
     Outputs: a: the sum; w: the vector of the last block, or the one behind; x behind what was read; up: of the
     next block.
     Clobbers: q0: weights; q1: elements; lr, flags; memory is read.
     Holds: up is how far the weights of a block go up in their vector until nothing is above them; they come down
     again with their sign. a += 16 products a block. */
  __asm__ volatile(
      "vldrb.u8 q0, [%[w]]\n\t"
      "vshl.i8 q0, q0, #" BYOC_UNUSED_BITS
      "\n\t"
      "vshr.s8 q0, q0, #" BYOC_UNUSED_BITS
      "\n\t"
      "vmladav.s8 %[a], %q[last], q0\n\t"
      "wls lr, %[n], 2f\n\t"
      "1:\n\t"
      "vldrb.u8 q0, [%[w]]\n\t"
      "vldrb.u8 q1, [%[x]], #16\n\t"
      "vshl.s8 q0, %[up]\n\t"
      "vshr.s8 q0, q0, #" BYOC_UNUSED_BITS
      "\n\t"
      "vmladava.s8 %[a], q0, q1\n\t"
      "subs %[up], %[up], #8 - " BYOC_UNUSED_BITS
      "\n\t"
      "itt mi\n\t"
      "movmi %[up], #" BYOC_UNUSED_BITS
      "\n\t"
      "addmi %[w], %[w], #16\n\t"
      "le lr, 1b\n\t"
      "2:\n\t"
      : [a] "=&Te"(a), [w] "+&r"(w), [x] "+&r"(x), [up] "+&r"(up)
      : [n] "r"(blocks), [last] "w"(last)
      : "q0", "q1", "lr", "cc", "memory");
  *sum = a;
  return up == 8 - BYOC_WEIGHT_BITS ? w : w + 16;
}
#else
static inline const int8_t* dot_one(const int8_t* w, const int8_t* x, byoc_quad_t last, int32_t blocks, int32_t* sum) {
  int32_t a;
  /* Inputs: w: 16 weights a block; x: 16 elements a block; n: blocks, 0 too; last: the elements of the first block
     of weights.
     Outputs: a: the sum; w and x behind what was read.
     Clobbers: q0: weights; q1: elements; lr, flags; memory is read.
     Holds: a = last * the first weights, then += 16 products a block. */
  __asm__ volatile(
      "vldrb.u8 q0, [%[w]], #16\n\t"
      "vmladav.s8 %[a], %q[last], q0\n\t"
      "wls lr, %[n], 2f\n\t"
      "1:\n\t"
      "vldrb.u8 q0, [%[w]], #16\n\t"
      "vldrb.u8 q1, [%[x]], #16\n\t"
      "vmladava.s8 %[a], q0, q1\n\t"
      "le lr, 1b\n\t"
      "2:\n\t"
      : [a] "=&Te"(a), [w] "+&r"(w), [x] "+&r"(x)
      : [n] "r"(blocks), [last] "w"(last)
      : "q0", "q1", "lr", "cc", "memory");
  *sum = a;
  return w;
}
#endif

void BYOC_SYMBOL(const byoc_fully_connected_s8_t* p, const int8_t* in, int8_t* out) {
  /* A copy, which the stores of results cannot change. */
  const byoc_requant_t r = p->requant;
  const int32_t depth = p->depth, blocks = (depth - 1) >> 4, units = p->units, right = byoc_only_right(&r, units);
#if !defined(BYOC_REQUANT_ONNX) && !defined(BYOC_REQUANT_EXACT)
  const int32_t single = right && !r.step;
#endif
  int8_t* const start = out;
  int32_t row, unit, i;
  for (row = p->rows; row > 0; --row, in += depth) {
    const byoc_quad_t lanes = byoc_quad(0, 2, 4, 6), others = byoc_quad(1, 3, 5, 7);
    const int32_t rest = units & 7, whole = units - rest;
    const int8_t* w = p->weights;
    byoc_quad_t last, even, odd;
    __asm__ volatile(
        "vctp.8 %1\n\t"
        "vpst\n\t"
        "vldrbt.u8 %q0, [%2]"
        : "=w"(last)
        : "r"(depth - 16 * blocks), "r"(in + 16 * blocks)
        : "memory");
    for (unit = 0; unit < whole; unit += 8, out += 8) {
      w = dot_eight(w, in, last, blocks, &even, &odd);
#if !defined(BYOC_REQUANT_ONNX) && !defined(BYOC_REQUANT_EXACT)
      if (single) {
        store_eight(even, odd, &r, r.bias + unit, byoc_channel_mve(&r, 0), lanes, out);
        continue;
      }
#endif
      byoc_store_units(byoc_scale_units(even, &r, unit, lanes, right), byoc_scale_units(odd, &r, unit, others, right),
                       r.zero, 8, out);
    }
    if (rest) {
      /* Units that are not there repeat the last one. */
      int32_t sums[8], index[8];
      BYOC_ROLLED
      for (i = 0; i < 8; ++i) {
        if (i < rest) w = dot_one(w, in, last, blocks, sums + i);
        index[i] = i < rest ? i : rest - 1;
        sums[i] = sums[index[i]];
      }
      even = byoc_quad(sums[0], sums[2], sums[4], sums[6]);
      odd = byoc_quad(sums[1], sums[3], sums[5], sums[7]);
      byoc_store_units(byoc_scale_units(even, &r, unit, byoc_quad(index[0], index[2], index[4], index[6]), right),
                       byoc_scale_units(odd, &r, unit, byoc_quad(index[1], index[3], index[5], index[7]), right),
                       r.zero, rest, out);
      out += rest;
    }
  }
  byoc_narrow_mve(r.min, r.max, start, p->rows * units);
}
