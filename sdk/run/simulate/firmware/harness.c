// Runs the model once: inputs in, one counted inference on a painted stack, outputs and figures out. No library calls,
// so that what the C library adds to the firmware is what the model asked for.
#include "harness.h"

#define PATTERN UINT32_C(0xa5c3963c)
#define CALIBRATE (-2)
#define MOST_REPETITIONS 10
#define LONG_ENOUGH UINT64_C(200000000)

static intptr_t input_file, output_file, dump_file = -1, progress_file = -1;
static uint32_t run_index;
static uint32_t dump_next;
static uint64_t trace_overhead;

void harness_finish(uint64_t kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const uint64_t head[] = {HARNESS_MAGIC, kind == HARNESS_DONE ? harness_step_count : 0, kind, a, b, c, d};
  const intptr_t file = port_open("result.bin", HARNESS_WRITE);
  if (file < 0 || port_write(file, head, sizeof head)) port_exit(1);
  if (kind == HARNESS_DONE && port_write(file, harness_step_counts, harness_step_count * sizeof(uint64_t)))
    port_exit(1);
  port_exit(kind == HARNESS_DONE ? 0 : 1);
}

static void fail(uint64_t kind, uint64_t detail, uint64_t more) { harness_finish(kind, detail, more, 0, 0); }

void harness_begin_step(int32_t step) {
  if (progress_file >= 0) (void)port_write(progress_file, &step, sizeof step);
}

static void dump(int32_t step) {
  while (dump_next < harness_dump_count && harness_dumps[dump_next].step == step) {
    if (port_write(dump_file, harness_dumps[dump_next].data, harness_dumps[dump_next].bytes))
      fail(HARNESS_FILE_FAILED, HARNESS_DUMP, 0);
    dump_next++;
  }
}

// Called by the traced root: -1 at its start, then the index of each step right after it.
__attribute__((noinline, noclone)) void byoc_trace(int32_t step);  // calibrated by calling it
void byoc_trace(int32_t step) {
  const uint64_t spent = port_counter_stop();
  if (step == CALIBRATE) {
    trace_overhead = spent;
  } else if (step >= 0 && (uint32_t)step < harness_step_count) {
    if (run_index == 0) harness_step_counts[step] = spent > trace_overhead ? spent - trace_overhead : 0;
    dump(step);
  }
  if (step != CALIBRATE) harness_begin_step(step + 1);
  port_counter_start();
}

static intptr_t open_file(const char* name, int mode, uint64_t number) {
  const intptr_t file = port_open(name, mode);
  if (file < 0) fail(HARNESS_FILE_FAILED, number, 0);
  return file;
}

static void read_inputs(void) {
  for (uint32_t i = 0; i < harness_input_count; i++) {
    if (port_read(input_file, harness_inputs[i].data, harness_inputs[i].bytes))
      fail(HARNESS_FILE_FAILED, HARNESS_INPUTS, 0);
  }
}

static void write_outputs(void) {
  for (uint32_t i = 0; i < harness_output_count; i++) {
    if (port_write(output_file, harness_outputs[i].data, harness_outputs[i].bytes))
      fail(HARNESS_FILE_FAILED, HARNESS_OUTPUTS, 0);
  }
}

static uint64_t calibrate(void) {
  byoc_trace(-1);
  byoc_trace(CALIBRATE);
  port_counter_start();
  return port_counter_stop();
}

// Repeats the inference, because other programs disturb the clock: the shortest time counts.
static uint64_t repeat(uint64_t shortest, uint64_t overhead) {
  uint64_t total = shortest;
  for (int i = 1; i < MOST_REPETITIONS && total < LONG_ENOUGH; i++) {
    port_counter_start();
    harness_run();
    const uint64_t count = port_counter_stop() - overhead;
    total += count;
    if (count < shortest) shortest = count;
  }
  return shortest;
}

// The rest of the sequence: the figures are those of the first run.
static void run_again(void) {
  int32_t status = harness_reset_model();
  if (status != 0) fail(HARNESS_MODEL_FAILED, (uint64_t)(int64_t)status, 2);
  read_inputs();
  dump_next = 0;
  port_counter_start();
  status = harness_run();
  port_counter_stop();
  if (status != 0) fail(HARNESS_MODEL_FAILED, (uint64_t)(int64_t)status, 0);
  write_outputs();
}

void board_main(void) {
  char *lowest, *here;
  size_t stack_bytes, unused = 0;
  if (harness_step_count != 0 || harness_watched) progress_file = port_open("progress.bin", HARNESS_WRITE);
  if (harness_watched) harness_watch();
  input_file = open_file("inputs.bin", HARNESS_READ, HARNESS_INPUTS);
  read_inputs();
  if (harness_dump_count != 0) dump_file = open_file("dump.bin", HARNESS_WRITE, HARNESS_DUMP);
  const int32_t prepared = harness_init();
  if (prepared != 0) fail(HARNESS_MODEL_FAILED, (uint64_t)(int64_t)prepared, 1);
  const uint64_t overhead = calibrate();

  port_stack(&lowest, &stack_bytes);
  HARNESS_STACK_POINTER(here);
  for (volatile uint32_t* p = (volatile uint32_t*)lowest; (char*)p < here - HARNESS_RED_ZONE; p++) *p = PATTERN;
  port_counter_start();
  const int32_t status = harness_run();
  uint64_t count = port_counter_stop() - overhead;
  while (lowest + unused < here && *(volatile uint32_t*)(lowest + unused) == PATTERN) unused += sizeof(uint32_t);

  if (status != 0) fail(HARNESS_MODEL_FAILED, (uint64_t)(int64_t)status, 0);
  if (unused == 0) fail(HARNESS_STACK_OVERFLOW, stack_bytes, 0);
  output_file = open_file("outputs.bin", HARNESS_WRITE, HARNESS_OUTPUTS);
  write_outputs();
  for (run_index = 1; run_index < harness_run_count; run_index++) run_again();
  if (port_counter_unit == HARNESS_COUNTS_NANOSECONDS && harness_stateless && harness_step_count == 0)
    count = repeat(count, overhead);
  const int32_t ended = harness_deinit();
  if (ended != 0) fail(HARNESS_MODEL_FAILED, (uint64_t)(int64_t)ended, 3);
  harness_finish(HARNESS_DONE, port_counter_unit, count, (uint64_t)(here - lowest) - unused, 0);
}
