#include "console.h"

/* https://github.com/ARM-software/abi-aa/blob/main/semihosting/semihosting.rst */
enum { sys_write0 = 0x04, sys_exit_extended = 0x20 };
static const uint32_t application_exit = 0x20026u;

static void semihosting(uint32_t operation, const void* parameter) {
  register uint32_t r0 __asm("r0") = operation;
  register const void* r1 __asm("r1") = parameter;
  __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void console_text(const char* text) { semihosting(sys_write0, text); }

void console_number(uint32_t value, uint32_t width) {
  char text[16];
  uint32_t at = sizeof text - 1;
  text[at] = '\0';
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (at > 0 && sizeof text - 1 - at < width) text[--at] = ' ';
  console_text(text + at);
}

void console_exit(int code) {
  const uint32_t block[2] = {application_exit, (uint32_t)code};
  semihosting(sys_exit_extended, block);
  for (;;) {
  }
}
