/* Runs the model with and without hooks, and says which were called; a counter of calls stands for a clock. */
#include <stdio.h>
#include <string.h>

#include "m.h"

#include "byoc/rt/profile.h"

static uint32_t ticks;
static uint32_t now(void) { return ticks += 10; }
static void put(const char* text) { fputs(text, stdout); }

static uint32_t taps;
static void tap(void* context, uint32_t step, uint32_t output, const void* data, uint32_t bytes) {
  uint32_t sum = 0, i;
  (void)context;
  for (i = 0; i < bytes; ++i) sum = sum * 31 + ((const uint8_t*)data)[i];
  ++taps;
  printf("tap %u %u %u %u\n", (unsigned)step, (unsigned)output, (unsigned)bytes, (unsigned)sum);
}

static uint64_t workspace[(M_WORKSPACE_SIZE + 7) / 8 + 1];
static uint64_t input[8192], plain[1024], hooked[1024];

int main(void) {
  uint32_t counts[M_STEP_COUNT];
  byoc_profile_t profile = {now, counts, M_STEP_COUNT, 0, 4};
  const byoc_hooks_t all = {&profile, byoc_profile_begin, byoc_profile_end, tap};
  const byoc_hooks_t none = {0, 0, 0, 0};
  const m_inputs_t inputs = {(void*)input};
  const m_outputs_t outputs = {(void*)plain}, again = {(void*)hooked};
  memset(input, 7, sizeof input);
  if (m_run(&inputs, &outputs, workspace) != 0 || ticks != 0) return 1;
  m_set_hooks(&none);
  if (m_run(&inputs, &again, workspace) != 0 || ticks != 0 || taps != 0) return 2;
  m_set_hooks(&all);
  if (m_run(&inputs, &again, workspace) != 0 || ticks != 20 * M_STEP_COUNT) return 3;
  if (memcmp(plain, hooked, sizeof plain) != 0) return 4;
  put("boot: garbage before ");
  byoc_profile_print(&profile, "m", "cycles", m_step_names, put);
  m_set_hooks(0);
  if (m_run(&inputs, &again, workspace) != 0 || ticks != 20 * M_STEP_COUNT) return 5;
  return 0;
}
