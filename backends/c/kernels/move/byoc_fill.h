/* Sets `count` elements to one value, by element size in bytes. */
#ifndef BYOC_FILL_H
#define BYOC_FILL_H

#include "byoc_kernel.h"

void byoc_fill_1(int32_t count, uint8_t value, void* to);
void byoc_fill_2(int32_t count, uint16_t value, void* to);
void byoc_fill_4(int32_t count, uint32_t value, void* to);
void byoc_fill_8(int32_t count, uint64_t value, void* to);

#endif
