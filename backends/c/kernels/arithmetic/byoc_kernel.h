/* Included by every kernel. C99, no state, no heap. */
#ifndef BYOC_KERNEL_H
#define BYOC_KERNEL_H

/* Inline assembly needs more registers than GCC leaves it where nothing is optimised. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC optimize("O2")
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Elements from one place to another, in at least the bits of what they are computed from. */
#if PTRDIFF_MAX < INT32_MAX
typedef int32_t byoc_offset_t;
#else
typedef ptrdiff_t byoc_offset_t;
#endif

#if defined(__cplusplus)
#define BYOC_RESTRICT __restrict
#else
#define BYOC_RESTRICT restrict
#endif

/* For functions that need the registers to themselves. */
#if defined(__GNUC__)
#define BYOC_NOINLINE __attribute__((noinline))
#else
#define BYOC_NOINLINE
#endif

/* For functions that are compiled anew for each constant argument. */
#if defined(__GNUC__)
#define BYOC_INLINE inline __attribute__((always_inline))
#else
#define BYOC_INLINE inline
#endif

/* Before a loop of few turns, or one that runs once a layer: compilers would write it out several times. */
#if defined(__clang__)
#define BYOC_ROLLED _Pragma("clang loop unroll(disable) vectorize(disable) interleave(disable)")
#elif defined(__GNUC__)
#define BYOC_ROLLED _Pragma("GCC unroll 1")
#else
#define BYOC_ROLLED
#endif

/* Before a loop that stores with a constant step of more than one element: clang 19 makes such loops MVE scatters with
   write-back of four times the step. Seen with -mcpu=cortex-m55 -O2. */
#if defined(__clang__) && defined(__ARM_FEATURE_MVE)
#define BYOC_SCALAR_LOOP _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define BYOC_SCALAR_LOOP
#endif

#endif
