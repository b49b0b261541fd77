#include "board.h"

#include <string.h>

int main(void);
void reset(void);

extern uint8_t data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_top[];

/* https://github.com/ARM-software/abi-aa/blob/main/semihosting/semihosting.rst */
static void semihosting(uint32_t operation, const void* parameter) {
  register uint32_t r0 __asm("r0") = operation;
  register const void* r1 __asm("r1") = parameter;
  __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_text(const char* text) { semihosting(0x04, text); }

void board_number(int32_t value) {
  char text[16];
  uint32_t at = sizeof text - 1;
  uint32_t left = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
  text[at] = '\0';
  do {
    text[--at] = (char)('0' + left % 10);
    left /= 10;
  } while (left > 0);
  if (value < 0) text[--at] = '-';
  board_text(text + at);
}

void board_exit(int code) {
  const uint32_t block[2] = {0x20026u, (uint32_t)code};
  semihosting(0x20, block);
  for (;;) {
  }
}

static void fault(void) {
  board_text("fault\n");
  board_exit(1);
}

void reset(void) {
  volatile uint32_t* const cpacr = (volatile uint32_t*)0xE000ED88u; /* Armv7-M: coprocessor access control */
  *cpacr |= 0xFu << 20;
  __asm volatile("dsb\n isb" ::: "memory");
  memcpy(data_start, data_load, (size_t)(data_end - data_start));
  memset(bss_start, 0, (size_t)(bss_end - bss_start));
  board_exit(main());
}

typedef union {
  void* stack;
  void (*handler)(void);
} vector_t;

__attribute__((section(".vectors"), used)) static const vector_t vectors[] = {
    {.stack = stack_top}, {.handler = reset}, {.handler = fault}, {.handler = fault},
    {.handler = fault},   {.handler = fault}, {.handler = fault},
};
