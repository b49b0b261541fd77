/* Reset: the FPU on, .data copied, .bss cleared, main. Any fault ends the program with exit code 1. */
#include <stdint.h>
#include <string.h>

#include "console.h"

int main(void);
void reset(void);

extern uint8_t data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_top[];

static void fault(void) {
  console_text("fault\n");
  console_exit(1);
}

void reset(void) {
  volatile uint32_t* const cpacr = (volatile uint32_t*)0xE000ED88u; /* Armv7-M: coprocessor access control */
  *cpacr |= 0xFu << 20;
  __asm volatile("dsb\n isb" ::: "memory");
  memcpy(data_start, data_load, (size_t)(data_end - data_start));
  memset(bss_start, 0, (size_t)(bss_end - bss_start));
  console_exit(main());
}

typedef union {
  void* stack;
  void (*handler)(void);
} vector_t;

/* Only the faults: this firmware enables no interrupt. */
__attribute__((section(".vectors"), used)) static const vector_t vectors[] = {
    {.stack = stack_top}, {.handler = reset}, {.handler = fault}, {.handler = fault},
    {.handler = fault},   {.handler = fault}, {.handler = fault},
};
