/* sum += a * b: fused where BYOC_FUSED_MAC says that this is fast (on a Cortex-M4 it takes three cycles, a
   multiplication and an addition two), else as the compiler likes. */
#ifndef BYOC_MAC_F32_H
#define BYOC_MAC_F32_H

#if defined(BYOC_FUSED_MAC)
#include <math.h>
#define BYOC_MAC(sum, a, b) (sum) = fmaf((a), (b), (sum))
#else
#define BYOC_MAC(sum, a, b) (sum) += (a) * (b)
#endif

#endif
