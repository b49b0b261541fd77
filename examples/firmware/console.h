/* Text and exit codes to the debugger or simulator, by Arm semihosting. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdint.h>

void console_text(const char* text);
/* `value` in decimal, right aligned in `width` columns. */
void console_number(uint32_t value, uint32_t width);
/* Does not return. Needs a host that knows SYS_EXIT_EXTENDED, as QEMU and OpenOCD do. */
void console_exit(int code);

#endif
