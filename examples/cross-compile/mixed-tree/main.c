/* Prints what the tree computes, to standard output or, on a board, to the debugger. */
int three_quarters(int x);

#ifdef ON_A_BOARD
#include "console.h"

int main(void) {
  console_text("three quarters of 56: ");
  console_number((uint32_t)three_quarters(56), 1);
  console_text("\n");
  return 0;
}
#else
#include <stdio.h>

int main(void) {
  printf("three quarters of 56: %d\n", three_quarters(56));
  return 0;
}
#endif
