/* Runs the model on the input that signal.h has and prints its outputs, a number a line. */
#include "ds_cnn.h"
#include "signal.h"

#if defined(__arm__)
#include "console.h"
static void print(int value) {
  console_text(value < 0 ? "output -" : "output ");
  console_number((uint32_t)(value < 0 ? -value : value), 1);
  console_text("\n");
}
#else
#include <stdio.h>
static void print(int value) { printf("output %d\n", value); }
#endif

static uint64_t workspace[(DS_CNN_WORKSPACE_SIZE + 7) / 8];
static int8_t result[12];

int main(void) {
  const ds_cnn_inputs_t inputs = {test_signal};
  const ds_cnn_outputs_t outputs = {result};
  unsigned i;
  if (ds_cnn_run(&inputs, &outputs, workspace) != 0) return 1;
  for (i = 0; i < sizeof result; ++i) print(result[i]);
  return 0;
}
