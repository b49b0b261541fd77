/* A run in one piece and the same in steps, with a run given up between. The model's name is m. */
#include <stdio.h>
#include <string.h>

#include "m.h"

#define WORDS(bytes) ((bytes) / 8 + 1)
static uint64_t workspace[WORDS(M_WORKSPACE_SIZE)] __attribute__((aligned(64)));
static uint64_t input[WORDS(M_INPUT_0_SIZE)], output[WORDS(M_OUTPUT_0_SIZE)], expected[WORDS(M_OUTPUT_0_SIZE)];
#ifdef M_INSTANCE_SIZE
static m_instance_t instance;
#define INSTANCE &instance,
#define RESET() m_reset(&instance)
#else
#define INSTANCE
#define RESET() 0
#endif

#ifdef WEIGHTS
static uint64_t weights[1 << 16];
static int32_t bind(void) {
  FILE* file = fopen(WEIGHTS, "rb");
  const uint32_t bytes = file == NULL ? 0 : (uint32_t)fread(weights, 1, sizeof weights, file);
  if (file != NULL) fclose(file);
  return m_bind(weights, bytes, NULL, NULL);
}
#endif

static int check(int is_right, const char* what) {
  if (!is_right) printf("not so: %s\n", what);
  return is_right ? 0 : 1;
}

int main(void) {
  m_inputs_t inputs;
  m_outputs_t outputs;
  m_progress_t progress;
  uint32_t steps = 0, i;
  int bad = 0;
  void* place = input;
  memset(&progress, 0, sizeof progress);
  memset(input, 1, sizeof input);
  memcpy(&inputs, &place, sizeof place); /* of one input */
  place = expected;
  memcpy(&outputs, &place, sizeof place);
  bad += check(m_step(&progress) == 0, "nothing is begun, and nothing is done");
#ifdef M_INSTANCE_SIZE
  bad += check(m_init(&instance) == 0, "init");
#endif
#ifdef WEIGHTS
  bad += check(m_begin(&progress, INSTANCE & inputs, &outputs, workspace) == BYOC_WEIGHTS_UNBOUND && progress.left == 0,
               "a run without weights is not begun");
  bad += check(bind() == 0, "bind");
#endif
  bad += check(m_run(INSTANCE & inputs, &outputs, workspace) == 0, "run");
  bad += check(RESET() == 0, "reset");
  place = output;
  memcpy(&outputs, &place, sizeof place);
  memset(output, 0x55, sizeof output);
  memset(workspace, 0xaa, sizeof workspace);
  bad += check(m_begin(&progress, INSTANCE & inputs, &outputs, workspace) == 0, "begin");
  for (i = 0; i < progress.left / 2; ++i) bad += check(m_step(&progress) == 0, "a step of a run that is given up");
  bad += check(RESET() == 0, "reset");
  memset(workspace, 0xaa, sizeof workspace);
  bad += check(m_begin(&progress, INSTANCE & inputs, &outputs, workspace) == 0, "begin anew");
  memset(&inputs, 0, sizeof inputs); /* the pointers were noted */
  memset(&outputs, 0, sizeof outputs);
  for (; progress.left != 0; ++steps) bad += check(m_step(&progress) == 0, "step");
  bad += check(memcmp(output, expected, M_OUTPUT_0_SIZE) == 0, "the outputs are those of a run in one piece");
  memset(output, 0, sizeof output);
  bad += check(m_step(&progress) == 0 && output[0] == 0, "nothing is left, and nothing is done");
  printf("%u steps, %d faults\n", (unsigned)steps, bad);
  return bad;
}
