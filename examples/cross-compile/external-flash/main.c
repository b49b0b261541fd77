/* Classifies a signal with constants that are read from the external flash, and says how much of it they take. */
#include <stdint.h>

#include "console.h"
#include "constants.h"
#include "vibration.h"

enum { readings = VIBRATION_INPUT_SIGNAL_ELEMENTS, classes = VIBRATION_OUTPUT_PROBABILITY_ELEMENTS };

static float signal_in[readings], probability[classes];
static uint8_t workspace[VIBRATION_WORKSPACE_SIZE] __attribute__((aligned(VIBRATION_WORKSPACE_ALIGN)));

int main(void) {
  const vibration_inputs_t inputs = {signal_in};
  const vibration_outputs_t outputs = {probability};
  for (int i = 0; i < readings; ++i) signal_in[i] = (float)(i % 16 - 8) * 0.125f;
  if (vibration_run(&inputs, &outputs, workspace) != 0) return 1;
  int best = 0;
  for (int i = 1; i < classes; ++i)
    if (probability[i] > probability[best]) best = i;
  console_text("class ");
  console_number((uint32_t)best, 1);
  console_text(", ");
  console_number((uint32_t)(probability[best] * 100.0f + 0.5f), 1);
  console_text(" %, ");
  console_number((uint32_t)(constants_flash_end - constants_flash_start), 1);
  console_text(" bytes of ");
  console_number(CONSTANTS_FLASH_BYTES, 1);
  console_text(" in external flash\n");
  return 0;
}
