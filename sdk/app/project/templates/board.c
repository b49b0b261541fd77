/* SPDX-License-Identifier: Apache-2.0 */
/* The C side of startup.S, and numbers as text. */
#include "console.h"

int main(void);
void board_main(void);
void board_fault(const void* where);

void board_main(void) { port_end(main()); }

/* Any exception. `where`: on Arm the registers that the core has stacked, on RISC-V the program counter. */
void board_fault(const void* where) {
  (void)where;
  console_text("fault\n");
  port_end(1);
}

void console_text(const char* text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  port_write(text, length);
}

/* In decimal, with zeros in front up to `width` digits. */
static void print_digits(uint32_t value, uint32_t width) {
  char text[12];
  uint32_t at = sizeof text - 1;
  text[at] = '\0';
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0 || sizeof text - 1 - at < width);
  console_text(text + at);
}

void console_number(int32_t value) {
  if (value < 0) console_text("-");
  print_digits(value < 0 ? 0u - (uint32_t)value : (uint32_t)value, 1);
}

void console_real(float value) {
  const float most = 4e9f; /* beyond it the integer part has no place in 32 bits */
  if (value != value) {
    console_text("no number");
    return;
  }
  if (value < 0.0f) {
    console_text("-");
    value = -value;
  }
  if (value > most) {
    console_text("more than 4000000000");
    return;
  }
  uint32_t whole = (uint32_t)value;
  uint32_t millionths = (uint32_t)((value - (float)whole) * 1e6f + 0.5f);
  if (millionths >= 1000000u) {
    whole += 1;
    millionths -= 1000000u;
  }
  print_digits(whole, 1);
  console_text(".");
  print_digits(millionths, 6);
}
