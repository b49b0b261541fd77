// The contract between the parts of the harness that runs an exported model: model_glue.c (generated), harness.c and
// one port per kind of machine.
#ifndef HARNESS_H
#define HARNESS_H

#include <stddef.h>
#include <stdint.h>

// A buffer of the model's interface. Inputs are read from inputs.bin and outputs written to outputs.bin, one after the
// other in this order, for each run in turn.
typedef struct {
  void* data;
  size_t bytes;
} harness_buffer_t;

// Bytes to append to dump.bin after a step. Sorted by step.
typedef struct {
  int32_t step;
  const void* data;
  size_t bytes;
} harness_dump_t;

// model_glue.c
extern const harness_buffer_t harness_inputs[];
extern const uint32_t harness_input_count;
extern const harness_buffer_t harness_outputs[];
extern const uint32_t harness_output_count;
extern const harness_dump_t harness_dumps[];
extern const uint32_t harness_dump_count;
extern uint64_t harness_step_counts[];
extern const uint32_t harness_step_count;
extern const uint32_t harness_stateless;  // running it twice gives the same outputs
extern const uint32_t harness_run_count;  // runs of one instance; inputs.bin has the inputs of each in turn
extern const uint32_t harness_watched;    // 1: harness_watch() instead of a run
int32_t harness_init(void);               // the model's instance; 0 for success
int32_t harness_reset_model(void);        // before each run but the first; 0 for success
int32_t harness_run(void);                // one inference; 0 for success
int32_t harness_deinit(void);             // at the end; 0 for success

// Data for watch.c, which is 0 if harness_watched is.
struct byoc_step_table;
extern const struct byoc_step_table* const harness_step_table;  // byoc/rt/steps.h; NULL: not watched
extern const uint8_t* const harness_keeps;                      // of each output of each step: bytes are there before
extern unsigned char* const harness_arena;                      // for the operands of one step
extern const harness_buffer_t harness_workspaces[];
extern const uint32_t harness_workspace_count;
extern void* const harness_instance;
extern const uint32_t harness_feeds;             // 1: values after each step become those of feed.bin
void harness_watch(void) __attribute__((weak));  // there where harness_watched is 1

// findings.bin
enum { HARNESS_INPUT = 0, HARNESS_OUTPUT = 1, HARNESS_WORKSPACE = 2 };
typedef struct {
  uint32_t kind, step;
  uint32_t role, index;  // of an operand: which of the step's inputs, outputs or workspaces
  int64_t detail;
} harness_finding_t;
enum {
  HARNESS_RETURNED = 1,  // detail: what
  HARNESS_BESIDE = 2,    // detail: bytes before the operand where < 0, else behind its end
  HARNESS_CHANGED = 3    // an input
};

// The unit of the count that port_counter_stop() returns.
enum { HARNESS_COUNTS_NOTHING = 0, HARNESS_COUNTS_INSTRUCTIONS = 1, HARNESS_COUNTS_NANOSECONDS = 2 };

// result.bin: 64-bit little-endian words. HARNESS_MAGIC, the number of steps, one of the kinds below, four words of it,
// then a count for each step:
//   done:     unit of the counts, count of one inference, stack bytes of one inference
//   model:    what <prefix>_run returned; 1 if it was <prefix>_init, 2 if <prefix>_reset, 3 if <prefix>_deinit; 4: a
//             step has too many operands to be watched, 5: the model has no table of steps
//   file:     one of the file numbers
//   fault:    program counter, cause, further cause, address; the last three as the machine reports them
//   overflow: bytes of stack there are
#define HARNESS_MAGIC UINT64_C(0x31544c5543594f42)
enum { HARNESS_INPUTS = 1, HARNESS_OUTPUTS = 2, HARNESS_DUMP = 3, HARNESS_FEED = 4, HARNESS_FINDINGS = 5 };
enum {
  HARNESS_DONE = 1,
  HARNESS_MODEL_FAILED = 2,
  HARNESS_FILE_FAILED = 3,
  HARNESS_FAULT = 4,
  HARNESS_STACK_OVERFLOW = 5
};

// The port. Files are opened, used from start to end, and closed at exit; one handle is used at a time for a file.
enum { HARNESS_READ = 0, HARNESS_WRITE = 1 };
intptr_t port_open(const char* name, int mode);                 // < 0: failed
int port_read(intptr_t file, void* data, size_t bytes);         // 0: all bytes were read
int port_write(intptr_t file, const void* data, size_t bytes);  // 0: all bytes were written
void port_exit(int code);
void port_counter_start(void);
uint64_t port_counter_stop(void);  // counts since the last start, with the port's own overhead in it
extern const uint32_t port_counter_unit;
void port_stack(char** lowest, size_t* bytes);  // the whole stack that board_main runs on

// harness.c
void board_main(void);
// Appends its number to progress.bin, so that whoever ends this program knows where it was: -1 before the first step.
void harness_begin_step(int32_t step);
void harness_finish(uint64_t kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d);  // writes result.bin and exits

// Bytes below the stack pointer that the running function may use.
#if defined(__x86_64__)
#define HARNESS_RED_ZONE 128
#else
#define HARNESS_RED_ZONE 0
#endif

#if defined(__arm__)
#define HARNESS_STACK_POINTER(p) __asm__ volatile("mov %0, sp" : "=r"(p))
#elif defined(__riscv)
#define HARNESS_STACK_POINTER(p) __asm__ volatile("mv %0, sp" : "=r"(p))
#elif defined(__aarch64__)
#define HARNESS_STACK_POINTER(p) __asm__ volatile("mov %0, sp" : "=r"(p))
#elif defined(__x86_64__)
#define HARNESS_STACK_POINTER(p) __asm__ volatile("mov %%rsp, %0" : "=r"(p))
#elif defined(__i386__)
#define HARNESS_STACK_POINTER(p) __asm__ volatile("mov %%esp, %0" : "=r"(p))
#endif

#endif
