/* SPDX-License-Identifier: Apache-2.0 */
/* Text for people, and what each board does with it. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stddef.h>
#include <stdint.h>

void console_text(const char* text);
void console_number(int32_t value);
/* With six digits behind the point. */
void console_real(float value);

/* The port: board/port.c for the board, qemu/port.c for QEMU. */
void port_write(const char* text, size_t length);
/* Called when main() has returned, or after a fault; does not return. */
void port_end(int code);

#endif
