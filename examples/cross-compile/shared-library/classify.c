/* Classifies a signal that it makes itself and prints the answer. C99 that is also C++. With OPENED the library is not
 * linked but opened at run time: the program's argument is its path. */
#include <stdio.h>

#include "vibration.h"
#ifdef OPENED
#include <dlfcn.h>
#include <string.h>
#endif

enum { readings = VIBRATION_INPUT_SIGNAL_ELEMENTS, classes = VIBRATION_OUTPUT_PROBABILITY_ELEMENTS };

static const char* const names[classes] = {"healthy", "imbalance", "bearing fault", "looseness"};
static float signal_in[readings], probability[classes];
static uint8_t workspace[VIBRATION_WORKSPACE_SIZE] __attribute__((aligned(VIBRATION_WORKSPACE_ALIGN)));

typedef int32_t (*run_function)(const vibration_inputs_t*, const vibration_outputs_t*, void*);

#ifdef OPENED
static run_function find_run(const char* path) {
  run_function run = NULL;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == NULL ? NULL : dlsym(library, "vibration_run");
  if (symbol == NULL) fprintf(stderr, "%s\n", dlerror());
  memcpy(&run, &symbol, sizeof run); /* C has no cast from data to functions */
  return run;
}
#endif

int main(int argc, char** argv) {
  const vibration_inputs_t inputs = {signal_in};
  const vibration_outputs_t outputs = {probability};
  int best = 0;
  int i;
#ifdef OPENED
  const run_function run = argc == 2 ? find_run(argv[1]) : NULL;
  if (run == NULL) return 1;
#else
  const run_function run = vibration_run;
  (void)argc;
  (void)argv;
#endif
  for (i = 0; i < readings; ++i) signal_in[i] = (float)(i % 16 - 8) * 0.125f;
  if (run(&inputs, &outputs, workspace) != 0) return 1;
  for (i = 1; i < classes; ++i)
    if (probability[i] > probability[best]) best = i;
  printf("%s, %.0f %%\n", names[best], (double)probability[best] * 100);
  return 0;
}
