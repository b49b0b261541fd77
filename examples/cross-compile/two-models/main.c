/* Asks two models about one signal, one after the other, in one workspace. With BY_NAME their functions are looked up.
 */
#include <stdint.h>

#include "coarse.h"
#include "console.h"
#include "fine.h"
#include "shared.h"
#ifdef BY_NAME
#include "models.h"
#endif

enum { readings = COARSE_INPUT_SIGNAL_ELEMENTS, classes = COARSE_OUTPUT_PROBABILITY_ELEMENTS };

typedef int32_t (*coarse_function)(const coarse_inputs_t*, const coarse_outputs_t*, void*);
typedef int32_t (*fine_function)(const fine_inputs_t*, const fine_outputs_t*, void*);

static float signal_in[readings], probability[classes];
static uint8_t workspace[SHARED_WORKSPACE_SIZE] __attribute__((aligned(SHARED_WORKSPACE_ALIGN)));

static void show(const char* name) {
  int best = 0;
  for (int i = 1; i < classes; ++i)
    if (probability[i] > probability[best]) best = i;
  console_text(name);
  console_text(": class ");
  console_number((uint32_t)best, 1);
  console_text(", ");
  console_number((uint32_t)(probability[best] * 100.0f + 0.5f), 1);
  console_text(" %\n");
}

int main(void) {
  const coarse_inputs_t coarse_in = {signal_in};
  const coarse_outputs_t coarse_out = {probability};
  const fine_inputs_t fine_in = {signal_in};
  const fine_outputs_t fine_out = {probability};
#ifdef BY_NAME
  const coarse_function coarse = (coarse_function)models_find("coarse_run");
  const fine_function fine = (fine_function)models_find("fine_run");
  if (coarse == 0 || fine == 0 || models_find("other_run") != 0) return 1;
#else
  const coarse_function coarse = coarse_run;
  const fine_function fine = fine_run;
#endif
  for (int i = 0; i < readings; ++i) signal_in[i] = (float)(i % 16 - 8) * 0.125f;
  if (coarse(&coarse_in, &coarse_out, workspace) != 0) return 1;
  show("coarse");
  if (fine(&fine_in, &fine_out, workspace) != 0) return 1;
  show("fine");
  return 0;
}
