/* Weights of 4 or 2 bits with MVE. */
#ifndef BYOC_PACKED_MVE_H
#define BYOC_PACKED_MVE_H

#include "byoc_mve.h"
#include "byoc_weight.h"

#if BYOC_WEIGHT_BITS == 4
#define BYOC_LOG_PER_BYTE "1"
#define BYOC_LAST_OF_BYTE "1"
#define BYOC_LOG_BITS "2"
#define BYOC_UNUSED_BITS "4"
#define BYOC_BYTES_OF_16 "8"
#elif BYOC_WEIGHT_BITS == 2
#define BYOC_LOG_PER_BYTE "2"
#define BYOC_LAST_OF_BYTE "3"
#define BYOC_LOG_BITS "1"
#define BYOC_UNUSED_BITS "6"
#define BYOC_BYTES_OF_16 "4"
#endif

/* byoc_weights of a count above 0, 16 at a time. */
static inline const int8_t* byoc_weights_mve(const void* weights, int32_t first, int32_t count, int8_t* unpacked) {
#if BYOC_WEIGHT_BITS == 8
  (void)count;
  (void)unpacked;
  return (const int8_t*)weights + first;
#else
  const uint8_t* from = (const uint8_t*)weights + first / BYOC_WEIGHTS_PER_BYTE;
  int8_t* to = unpacked;
  int32_t at = first % BYOC_WEIGHTS_PER_BYTE;
  /* Inputs: at: place of the first weight in its byte; from: that byte; count > 0: weights; to: room for count
     bytes.
     Outputs: to: behind the last vector; at, from: used up.
     Clobbers: q0 to q2, lr, flags; count bytes at to.
     Holds: q0 is the byte that each weight is in, q1 how far up it goes until nothing is above it; then it comes
     down again with its sign. 16 weights a turn. */
  __asm__ volatile(
      "vidup.u8 q0, %[at], #1\n\t"
      "vmov.i8 q2, #" BYOC_LAST_OF_BYTE
      "\n\t"
      "vand q1, q0, q2\n\t"
      "vshr.u8 q0, q0, #" BYOC_LOG_PER_BYTE
      "\n\t"
      "vmov.i8 q2, #" BYOC_UNUSED_BITS
      "\n\t"
      "vshl.i8 q1, q1, #" BYOC_LOG_BITS
      "\n\t"
      "vsub.i8 q1, q2, q1\n\t"
      "dlstp.8 lr, %[count]\n\t"
      "1:\n\t"
      "vldrb.u8 q2, [%[from], q0]\n\t"
      "add %[from], %[from], #" BYOC_BYTES_OF_16
      "\n\t"
      "vshl.u8 q2, q2, q1\n\t"
      "vshr.s8 q2, q2, #" BYOC_UNUSED_BITS
      "\n\t"
      "vstrb.8 q2, [%[to]], #16\n\t"
      "letp lr, 1b\n\t"
      : [at] "+&Te"(at), [from] "+&r"(from), [to] "+&r"(to)
      : [count] "r"(count)
      : "q0", "q1", "q2", "lr", "cc", "memory");
  return unpacked;
#endif
}

#endif
