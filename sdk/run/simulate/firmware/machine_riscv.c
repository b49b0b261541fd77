// RISC-V: retired instructions from minstret, and traps.
#include "harness.h"

static uint64_t start_count;

const uint32_t port_counter_unit = HARNESS_COUNTS_INSTRUCTIONS;

// Compilers for RV32IMC and RV64GC of the 2.2 specification do not count the counters' instructions as part of I.
#define READ_CSR(...) ".option push\n\t.option arch, +zicsr\n\t" __VA_ARGS__ "\n\t.option pop"

static uint64_t retired(void) {
#if __riscv_xlen == 32
  uint32_t high, low, again;
  do {
    __asm__ volatile(READ_CSR("csrr %0, minstreth\n\tcsrr %1, minstret\n\tcsrr %2, minstreth")
                     : "=&r"(high), "=&r"(low), "=&r"(again));
  } while (high != again);
  return (uint64_t)high << 32 | low;
#else
  uint64_t count;
  __asm__ volatile(READ_CSR("csrr %0, minstret") : "=r"(count));
  return count;
#endif
}

void port_counter_start(void) { start_count = retired(); }

uint64_t port_counter_stop(void) { return retired() - start_count; }

extern char board_stack_bottom[], board_stack_top[];

void board_fault(uintptr_t pc, uintptr_t cause, uintptr_t value, uintptr_t stack_pointer);
void board_fault(uintptr_t pc, uintptr_t cause, uintptr_t value, uintptr_t stack_pointer) {
  if (stack_pointer < (uintptr_t)board_stack_bottom)
    harness_finish(HARNESS_STACK_OVERFLOW, (uint64_t)(board_stack_top - board_stack_bottom), 0, 0, 0);
  harness_finish(HARNESS_FAULT, pc, cause, 0, value);
}
