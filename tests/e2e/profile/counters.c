/* Reads the counter of a core around the model's steps, and says it to the debugger. COUNTER: mcycle, dwt or pmu. */
#include "byoc/rt/profile.h"

#include "m.h"

#ifdef __riscv
#include <stdio.h>
static void put(const char* text) { fputs(text, stdout); }
static uint32_t read_mcycle(void) { return byoc_mcycle(); }
static void start_mcycle(void) {}
#else
#include "console.h"
static void put(const char* text) { console_text(text); }
static inline uint32_t read_dwt(void) { return byoc_dwt_cycles(); }
static inline void start_dwt(void) { byoc_dwt_start(); }
static inline uint32_t read_pmu(void) { return byoc_pmu_cycles(); }
static inline void start_pmu(void) { byoc_pmu_start(); }
#endif

#define NAME_(what, counter) what##_##counter
#define NAME(what, counter) NAME_(what, counter)

static uint64_t workspace[(M_WORKSPACE_SIZE + 7) / 8 + 1];
static uint64_t input[1024], output[256];
static uint32_t counts[M_STEP_COUNT];

int main(void) {
  byoc_profile_t profile = {NAME(read, COUNTER), counts, M_STEP_COUNT, 0, 0};
  const byoc_hooks_t hooks = {&profile, byoc_profile_begin, byoc_profile_end, 0};
  const m_inputs_t inputs = {(void*)input};
  const m_outputs_t outputs = {(void*)output};
  NAME(start, COUNTER)();
  m_set_hooks(&hooks);
  if (m_run(&inputs, &outputs, workspace) != 0) return 1;
  byoc_profile_print(&profile, "m", "cycles", m_step_names, put);
  return 0;
}
