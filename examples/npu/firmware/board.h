/* The board, as far as this firmware needs it: text and an exit code to the debugger, by Arm semihosting. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_text(const char* text);
void board_number(int32_t value);
void board_exit(int code);

#endif
