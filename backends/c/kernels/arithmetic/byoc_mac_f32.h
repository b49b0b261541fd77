/* sum += a * b: fused where BYOC_FUSED_MAC says that this is fast (on a Cortex-M4 it takes three cycles, a
   multiplication and an addition two; AVX2's companion FMA and AArch64 have it), else as the compiler likes. */
#ifndef BYOC_MAC_F32_H
#define BYOC_MAC_F32_H

#if defined(BYOC_FUSED_MAC) && defined(__x86_64__) && !defined(__FMA__)
#undef BYOC_FUSED_MAC /* -mavx2 alone: fmaf would be a call */
#endif

#if defined(BYOC_FUSED_MAC)
#include <math.h>
#define BYOC_MAC(sum, a, b) (sum) = fmaf((a), (b), (sum))
#else
#define BYOC_MAC(sum, a, b) (sum) += (a) * (b)
#endif

/* Whether kernels may be written for the single-precision FPU of the larger Cortex-M, in assembly. */
#if defined(__thumb2__) && defined(__ARM_FP) && !defined(__SOFTFP__) && (__ARM_FP & 4) && !defined(__ARM_FEATURE_MVE)
#define BYOC_THUMB_FPU 1
#else
#define BYOC_THUMB_FPU 0
#endif

#endif
