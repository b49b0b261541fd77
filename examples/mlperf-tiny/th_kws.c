/* MLPerf Tiny's keyword spotting, by a model that byoc compiled: what the benchmark calls when the runner asks for it.
 */
#include "kws.h"
#include "th.h"

/* KWS_INPUT_<name>_SIZE and the like: the model says its names. */
#define MEMBER_(role, name, what) KWS_##role##_##name##_##what
#define MEMBER(role, name, what) MEMBER_(role, name, what)

enum { input_bytes = MEMBER(INPUT, INPUT_NAME, SIZE), classes = MEMBER(OUTPUT, OUTPUT_NAME, ELEMENTS) };

static int8_t input[input_bytes];
static int8_t output[classes];
static uint8_t workspace[KWS_WORKSPACE_SIZE] __attribute__((aligned(KWS_WORKSPACE_ALIGN)));

/* The runner's bytes are the int8 tensor as it is. */
void th_load_tensor(void) {
  const size_t loaded = ee_get_buffer((uint8_t*)input, sizeof input);
  if (loaded != sizeof input)
    th_printf("e-[The input has %u bytes, found %u]\r\n", (unsigned)sizeof input, (unsigned)loaded);
}

void th_infer(void) {
  const kws_inputs_t inputs = {input};
  const kws_outputs_t outputs = {output};
  const int32_t status = kws_run(&inputs, &outputs, workspace);
  if (status != 0) th_printf("e-[The model failed: %d]\r\n", (int)status);
}

/* Probabilities with three decimals. */
void th_results(void) {
  th_printf("m-results-[");
  for (int i = 0; i < classes; ++i) {
    const float real =
        (float)(output[i] - MEMBER(OUTPUT, OUTPUT_NAME, ZERO_POINT)) * MEMBER(OUTPUT, OUTPUT_NAME, SCALE);
    const unsigned thousandths = (unsigned)((real < 0.0f ? -real : real) * 1000.0f + 0.5f);
    th_printf("%s%s%u.%03u", i == 0 ? "" : ",", real < 0.0f ? "-" : "", thousandths / 1000, thousandths % 1000);
  }
  th_printf("]\r\n");
}

void th_pre(void) {}
void th_post(void) {}
void th_final_initialize(void) {}
void th_command_ready(char volatile* command) { ee_serial_command_parser_callback((char*)command); }
