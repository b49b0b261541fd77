/* Classifies four recorded vibration signals and says what is wrong with the machine. */
#include <stdint.h>

#include "console.h"
#include "vibration.h"

enum { readings = VIBRATION_INPUT_SIGNAL_ELEMENTS, classes = VIBRATION_OUTPUT_PROBABILITY_ELEMENTS, signal_count = 4 };

extern const float signals[signal_count][readings];

static const char* const names[classes] = {"healthy", "imbalance", "bearing fault", "looseness"};

static float probability[classes];
static uint8_t workspace[VIBRATION_WORKSPACE_SIZE] __attribute__((aligned(VIBRATION_WORKSPACE_ALIGN)));

static int classify(const float* signal) {
  const vibration_inputs_t inputs = {.signal = signal};
  const vibration_outputs_t outputs = {.probability = probability};
  if (vibration_run(&inputs, &outputs, workspace) != 0) return -1;
  int best = 0;
  for (int i = 1; i < classes; ++i) {
    if (probability[i] > probability[best]) best = i;
  }
  return best;
}

int main(void) {
  for (uint32_t i = 0; i < signal_count; ++i) {
    const int answer = classify(signals[i]);
    if (answer < 0) {
      console_text("the model reported an error\n");
      return 1;
    }
    console_text("signal ");
    console_number(i, 1);
    console_text(": ");
    console_number((uint32_t)(probability[answer] * 100.0f + 0.5f), 3);
    console_text(" % ");
    console_text(names[answer]);
    console_text("\n");
  }
  return 0;
}
