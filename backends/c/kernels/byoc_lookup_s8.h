/* A function of one int8 element as a table. */
#ifndef BYOC_LOOKUP_S8_H
#define BYOC_LOOKUP_S8_H

#include "byoc_kernel.h"

/* y[i] = table[x[i] + 128]; y may be x. */
void byoc_lookup_s8(int32_t count, const int8_t* table, const int8_t* x, int8_t* y);

#endif
