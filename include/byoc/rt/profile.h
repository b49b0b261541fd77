/* Times of a model's steps on a board: what <model>_set_hooks() takes (byoc export --profile-hook), counters of common
 * cores, and lines for a serial port that `byoc report from-log` reads. C99 and C++.
 *
 *   static uint32_t counts[KWS_STEP_COUNT];
 *   static byoc_profile_t profile = {byoc_dwt_cycles, counts, KWS_STEP_COUNT, 0, 0};
 *   const byoc_hooks_t hooks = {&profile, byoc_profile_begin, byoc_profile_end, 0};
 *   byoc_dwt_start();
 *   kws_set_hooks(&hooks);
 *   kws_run(...);
 *   byoc_profile_print(&profile, "kws", "cycles", kws_step_names, uart_text);
 */
#ifndef BYOC_RT_PROFILE_H
#define BYOC_RT_PROFILE_H

#include <stdint.h>

#include "byoc/rt/hooks.h"

typedef struct byoc_profile {
  uint32_t (*now)(void); /* a counter that runs upwards and over; a step takes less than one round of it */
  uint32_t* counts;      /* of each step: what the counter said in its last run */
  uint32_t count;        /* of these */
  uint32_t begun;        /* the counter when the step began */
  uint32_t overhead;     /* of two readings with nothing between, which is taken off; 0: not known */
} byoc_profile_t;

static inline void byoc_profile_begin(void* context, uint32_t step) {
  byoc_profile_t* const p = (byoc_profile_t*)context;
  (void)step;
  p->begun = p->now();
}

static inline void byoc_profile_end(void* context, uint32_t step) {
  byoc_profile_t* const p = (byoc_profile_t*)context;
  const uint32_t spent = p->now() - p->begun;
  if (step < p->count) p->counts[step] = spent > p->overhead ? spent - p->overhead : 0;
}

static inline void byoc_profile_number(uint32_t value, void (*put)(const char* text)) {
  char text[11];
  uint32_t at = sizeof text - 1;
  text[at] = '\0';
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  put(text + at);
}

/* Lines of the last run; `unit` is cycles, instructions or nanoseconds. */
static inline void byoc_profile_print(const byoc_profile_t* p, const char* model, const char* unit,
                                      const byoc_step_name_t* names, void (*put)(const char* text)) {
  uint32_t i;
  put("byoc-profile 1 ");
  put(model);
  put(" ");
  byoc_profile_number(p->count, put);
  put(" ");
  put(unit);
  put("\r\n");
  for (i = 0; i < p->count; ++i) {
    put("byoc-step ");
    byoc_profile_number(i, put);
    put(" ");
    byoc_profile_number(p->counts[i], put);
    put(" ");
    put(names[i].symbol);
    put("\r\n");
  }
  put("byoc-end\r\n");
}

static inline void byoc_profile_set(uint32_t address, uint32_t bits) {
  volatile uint32_t* const at = (volatile uint32_t*)(uintptr_t)address;
  *at = *at | bits;
}

/* Armv7-M and later: DWT, Armv7-M Architecture Reference Manual, C1.8. */
static inline void byoc_dwt_start(void) {
  byoc_profile_set(0xE000EDFCu, UINT32_C(1) << 24); /* DEMCR.TRCENA */
  *(volatile uint32_t*)0xE0001FB0u = 0xC5ACCE55u;   /* DWT_LAR: Cortex-M7 ignores the rest while this is locked */
  *(volatile uint32_t*)0xE0001004u = 0;             /* DWT_CYCCNT */
  byoc_profile_set(0xE0001000u, 1);                 /* DWT_CTRL.CYCCNTENA */
}
static inline uint32_t byoc_dwt_cycles(void) { return *(volatile uint32_t*)0xE0001004u; }

/* Armv8.1-M with the performance monitoring extension, as Cortex-M55 and M85: Armv8-M Architecture Reference Manual. */
static inline void byoc_pmu_start(void) {
  byoc_profile_set(0xE000EDFCu, UINT32_C(1) << 24);     /* DEMCR.TRCENA */
  byoc_profile_set(0xE0003E04u, 5);                     /* PMU_CTRL: enabled, the cycle counter from 0 */
  *(volatile uint32_t*)0xE0003C00u = UINT32_C(1) << 31; /* PMU_CNTENSET: the cycle counter */
}
static inline uint32_t byoc_pmu_cycles(void) { return *(volatile uint32_t*)0xE000307Cu; }

#ifdef __riscv
/* The low 32 bits of mcycle; in machine mode. */
static inline uint32_t byoc_mcycle(void) {
  unsigned long cycles;
  /* csrr %0, mcycle (0xb00), for assemblers that want to be told of Zicsr, too */
  __asm volatile(".insn i 0x73, 2, %0, x0, -0x500" : "=r"(cycles));
  return (uint32_t)cycles;
}
#endif

#endif
