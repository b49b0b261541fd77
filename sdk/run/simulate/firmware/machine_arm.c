// Cortex-M: the instruction counter over the board's tick counter, and faults.
#include "harness.h"

typedef struct {
  uint32_t first;     // ticks at the first reading
  uint32_t readings;  // after it until one skipped a tick
  uint32_t last;      // ticks at that one, which was at the start of its tick
} harness_vernier_t;

void harness_vernier(harness_vernier_t*);

static uint32_t start_tick;

const uint32_t port_counter_unit = HARNESS_COUNTS_INSTRUCTIONS;

void port_counter_start(void) {
  harness_vernier_t v;
  harness_vernier(&v);
  start_tick = v.last;
}

// The first reading was PERIOD - readings instructions into its tick.
uint64_t port_counter_stop(void) {
  harness_vernier_t v;
  harness_vernier(&v);
  return (uint64_t)(uint32_t)(v.first - start_tick) * HARNESS_COUNTER_PERIOD + HARNESS_COUNTER_PERIOD - v.readings;
}

extern char board_stack_bottom[], board_stack_top[];

// Configurable and hard fault status and the fault addresses, ARMv7-M reference manual B3.2.
#define CFSR (*(volatile uint32_t*)0xE000ED28)
#define HFSR (*(volatile uint32_t*)0xE000ED2C)
#define MMFAR (*(volatile uint32_t*)0xE000ED34)
#define BFAR (*(volatile uint32_t*)0xE000ED38)
#define CFSR_MMARVALID UINT32_C(0x80)
#define CFSR_BFARVALID UINT32_C(0x8000)
#define CFSR_STACKING UINT32_C(0x103030)  // pushing or popping a frame failed, or the v8-M stack limit was passed

// `frame` is what the core pushed: r0-r3, r12, lr, pc, xpsr.
void board_fault(const uint32_t* frame);
void board_fault(const uint32_t* frame) {
  const uint32_t cfsr = CFSR;
  const char* at = (const char*)frame;
  if (at < board_stack_bottom || at > board_stack_top - 32 || (cfsr & CFSR_STACKING) != 0)
    harness_finish(HARNESS_STACK_OVERFLOW, (uint64_t)(board_stack_top - board_stack_bottom), 0, 0, 0);
  const uint32_t address = (cfsr & CFSR_BFARVALID) != 0 ? BFAR : (cfsr & CFSR_MMARVALID) != 0 ? MMFAR : 0;
  harness_finish(HARNESS_FAULT, frame[6], cfsr, HFSR, address);
}
