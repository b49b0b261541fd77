#include "table.h"
#ifdef COPY
uint8_t copy[TABLE_SIZE] = {
#include "copy.inc"
};
#endif
volatile uint32_t sum;
void start(void);
void start(void) {
  uint32_t i;
  for (i = 0; i < TABLE_SIZE; ++i) sum += table[i];
#ifdef COPY
  sum += copy[sum % TABLE_SIZE];
#endif
}
