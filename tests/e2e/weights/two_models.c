/* A firmware whose two models find their weights in one file. It is linked with `one` and `two`. */
#include <stdint.h>

#include "console.h"
#include "one.h"
#include "two.h"

static const void* const weights = (const void*)0x00200000u;
enum { weights_bytes = 0x80000 };

static uint32_t workspace_one[(ONE_WORKSPACE_SIZE + 3) / 4] __attribute__((aligned(ONE_WORKSPACE_ALIGN)));
static uint32_t workspace_two[(TWO_WORKSPACE_SIZE + 3) / 4] __attribute__((aligned(TWO_WORKSPACE_ALIGN)));
static int8_t input[4096], output[4096];

static void say(const char* text, uint32_t value) {
  console_text(text);
  console_number(value, 1);
  console_text("\n");
}

static uint32_t sum_of_output(void) {
  uint32_t i, sum = 0;
  for (i = 0; i < sizeof output; ++i) {
    sum = sum * 31u + (uint8_t)output[i];
    output[i] = 0;
  }
  return sum & 0xffffffu;
}

int main(void) {
  const one_inputs_t one_in = {input};
  const two_inputs_t two_in = {input};
  const one_outputs_t one_out = {output};
  const two_outputs_t two_out = {output};
  uint32_t i;
  for (i = 0; i < sizeof input; ++i) input[i] = (int8_t)(i * 7);
  say("bind one: ", (uint32_t)one_bind(weights, weights_bytes, 0, 0));
  say("unbound two: ", (uint32_t)two_run(&two_in, &two_out, workspace_two));
  say("bind two: ", (uint32_t)two_bind(weights, weights_bytes, 0, 0));
  say("run one: ", (uint32_t)one_run(&one_in, &one_out, workspace_one));
  say("answer one: ", sum_of_output());
  say("run two: ", (uint32_t)two_run(&two_in, &two_out, workspace_two));
  say("answer two: ", sum_of_output());
  return 0;
}
