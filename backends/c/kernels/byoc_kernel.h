/* Included by every kernel. C99, no state, no heap. */
#ifndef BYOC_KERNEL_H
#define BYOC_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__cplusplus)
#define BYOC_RESTRICT __restrict
#else
#define BYOC_RESTRICT restrict
#endif

#endif
