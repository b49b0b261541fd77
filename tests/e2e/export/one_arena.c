/* A firmware whose two models, `one` and `two`, take turns in one workspace of no more bytes than their header says. */
#include <stdint.h>

#include "both.h"
#include "console.h"
#include "one.h"
#include "two.h"

enum { guard = 64 };
static struct {
  uint8_t before[guard];
  uint8_t arena[BOTH_WORKSPACE_SIZE] __attribute__((aligned(BOTH_WORKSPACE_ALIGN)));
  uint8_t after[guard];
} memory __attribute__((aligned(BOTH_WORKSPACE_ALIGN)));
static int8_t input[4096], output[4096];

static void say(const char* text, uint32_t value) {
  console_text(text);
  console_number(value, 1);
  console_text("\n");
}

/* Of the output, which then holds nothing that a run left. */
static uint32_t sum_of_output(void) {
  uint32_t i, sum = 0;
  for (i = 0; i < sizeof output; ++i) {
    sum = sum * 31u + (uint8_t)output[i];
    output[i] = 0;
  }
  return sum & 0xffffffu;
}

static uint32_t damage(void) {
  uint32_t i, found = 0;
  for (i = 0; i < guard; ++i) found += (memory.before[i] != 0xa5) + (memory.after[i] != 0xa5);
  return found;
}

int main(void) {
  const one_inputs_t one_in = {input};
  const two_inputs_t two_in = {input};
  const one_outputs_t one_out = {output};
  const two_outputs_t two_out = {output};
  uint32_t i, turn;
  for (i = 0; i < guard; ++i) memory.before[i] = memory.after[i] = 0xa5;
  for (i = 0; i < sizeof input; ++i) input[i] = (int8_t)(i * 7);
  for (turn = 0; turn < 2; ++turn) {
    if (one_run(&one_in, &one_out, memory.arena) != 0) return 1;
    say("one: ", sum_of_output());
    if (two_run(&two_in, &two_out, memory.arena) != 0) return 1;
    say("two: ", sum_of_output());
  }
  say("damage: ", damage());
  return 0;
}
