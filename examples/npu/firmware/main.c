/* Runs a model on two instances in turn: two handles of one driver. */
#include <stdint.h>

#include "board.h"
#include "gesture.h"

enum { elements = GESTURE_INPUT_X_ELEMENTS, classes = GESTURE_OUTPUT_LABEL_ELEMENTS, copies = 2, runs = 2 };
static const int32_t npu_not_started = 101; /* npu_driver.h */

static gesture_instance_t instance[copies];
static uint8_t workspace[GESTURE_WORKSPACE_SIZE] __attribute__((aligned(GESTURE_WORKSPACE_ALIGN)));
static uint8_t workspace_npu_ram[GESTURE_WORKSPACE_NPU_RAM_SIZE]
    __attribute__((aligned(GESTURE_WORKSPACE_NPU_RAM_ALIGN), section(GESTURE_WORKSPACE_NPU_RAM_SECTION)));
static int8_t image[elements];
static int8_t answer[classes];

static int32_t run(gesture_instance_t* on) {
  const gesture_inputs_t inputs = {.x = image};
  const gesture_outputs_t outputs = {.label = answer};
  return gesture_run(on, &inputs, &outputs, workspace, workspace_npu_ram);
}

/* Element i of picture n: the same as in the test of this example. */
static void take_picture(uint32_t n) {
  for (uint32_t i = 0; i < elements; ++i) image[i] = (int8_t)((i * 37u + n * 101u) % 256u - 128u);
}

static int fail(const char* what, int32_t status) {
  board_text(what);
  board_text(" returned ");
  board_number(status);
  board_text("\n");
  return 1;
}

int main(void) {
  int32_t status = run(&instance[0]);
  if (status != npu_not_started) return fail("a run before the start", status);
  for (uint32_t i = 0; i < copies; ++i)
    if ((status = gesture_init(&instance[i])) != 0) return fail("init", status);
  for (uint32_t n = 0; n < runs; ++n) {
    take_picture(n);
    for (uint32_t i = 0; i < copies; ++i) {
      if ((status = run(&instance[i])) != 0) return fail("run", status);
      board_text("picture ");
      board_number((int32_t)n);
      board_text(":");
      for (uint32_t c = 0; c < classes; ++c) {
        board_text(" ");
        board_number(answer[c]);
      }
      board_text("\n");
    }
  }
  if ((status = gesture_deinit(&instance[0])) != 0) return fail("deinit", status);
  if ((status = run(&instance[0])) != npu_not_started) return fail("a run after the end", status);
  if ((status = gesture_reset(&instance[1])) != 0) return fail("reset", status);
  return run(&instance[1]) == 0 ? 0 : 1;
}
