/* A run in one piece and one in steps, on a board. The model's name is m. */
#include <string.h>

#include "console.h"
#include "m.h"

static uint64_t workspace[M_WORKSPACE_SIZE / 8 + 1] __attribute__((aligned(M_WORKSPACE_ALIGN)));
static int8_t input[M_INPUT_0_SIZE], outputs[2][M_OUTPUT_0_SIZE];

int main(void) {
  const m_inputs_t in = {input};
  const m_outputs_t out[] = {{outputs[0]}, {outputs[1]}};
  m_progress_t progress;
  uint32_t steps = 0, i;
  for (i = 0; i < sizeof input; ++i) input[i] = (int8_t)(i * 7);
  if (m_run(&in, &out[0], workspace) != 0 || m_begin(&progress, &in, &out[1], workspace) != 0) return 1;
  for (; progress.left != 0; ++steps)
    if (m_step(&progress) != 0) return 1;
  console_text("steps: ");
  console_number(steps, 1);
  console_text("\ndifferent: ");
  console_number(memcmp(outputs[0], outputs[1], sizeof outputs[0]) != 0, 1);
  console_text("\n");
  return 0;
}
