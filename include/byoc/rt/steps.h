/* The steps of an exported model one by one, for programs that load it: a shared library that byoc wrote has a table of
 * them, `<model>_step_table`. Each has a name and a wrapper of one signature, which takes its arguments apart and calls
 * the step's own function. C99, freestanding.
 *
 * Rules: fixed-width integers, no enums. A table is laid out as its `version` says; arguments carry their size, and may
 * grow at the end. */
#ifndef BYOC_RT_STEPS_H
#define BYOC_RT_STEPS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BYOC_STEP_TABLE_VERSION 1u

/* The result of a wrapper whose `struct_size` is too small; it has called nothing then. Any other result is that of
 * the step: 0 for success. */
#define BYOC_STEP_ARGS_TOO_SMALL (-1651076451)

typedef struct byoc_step_args {
  uint32_t struct_size; /* sizeof(byoc_step_args_t) of who calls */
  uint32_t reserved0;
  void* const* operands;   /* inputs, then outputs; inputs are not written */
  void* const* workspaces; /* one for each that the step has */
  void* instance;          /* where the step has an instance: its own part of the model's */
  void* device;            /* reserved: NULL */
  const int32_t* dims;     /* of an open step the lengths that it asks for; else NULL */
} byoc_step_args_t;

/* Calls a step. Any thread; reentrant as <model>_run is. Keeps nothing of what it is given. */
typedef int32_t (*byoc_step_wrapper_t)(const byoc_step_args_t* args);

/* Where bytes are while <model>_run runs: `offset` bytes from the start of ... */
#define BYOC_PLACE_INPUT 0u     /* input number `index` */
#define BYOC_PLACE_OUTPUT 1u    /* output number `index` */
#define BYOC_PLACE_WORKSPACE 2u /* workspace number `index` of <model>_run */
#define BYOC_PLACE_CONSTANT 3u  /* `constant` */
#define BYOC_PLACE_INSTANCE 4u  /* the model's instance */
#define BYOC_PLACE_GIVEN 5u /* of an open step: `index` of its node's inputs, and outputs behind them; `bytes` is 0 */

typedef struct byoc_place {
  uint32_t place; /* BYOC_PLACE_... */
  uint32_t index;
  uint64_t offset;
  uint64_t bytes;
  const void* constant; /* NULL for every other place */
} byoc_place_t;

typedef struct byoc_step_entry {
  const char* name; /* the symbol of the step's function: "kws_conv" */
  byoc_step_wrapper_t call;
  const byoc_place_t* operands;   /* inputs, then outputs: where <model>_run has them */
  const byoc_place_t* workspaces; /* the same */
  uint32_t input_count;
  uint32_t output_count;
  uint32_t workspace_count;
  uint32_t uses_instance; /* 1: byoc_step_args_t::instance is the model's instance plus instance_offset */
  uint64_t instance_offset;
} byoc_step_entry_t;

/* The copies that <model>_run makes after the last step: to.bytes bytes. */
typedef struct byoc_step_move {
  byoc_place_t to;
  byoc_place_t from;
} byoc_step_move_t;

typedef struct byoc_step_table {
  uint32_t version; /* BYOC_STEP_TABLE_VERSION */
  uint32_t step_count;
  /* The steps in the order in which <model>_run calls them. Open steps follow, which it does not call: their
   * operands have dims that only a run knows, and their caller gives buffers, and lengths as
   * byoc_step_args_t::dims. */
  const byoc_step_entry_t* steps;
  const byoc_step_move_t* moves; /* in order */
  uint32_t move_count;
  uint32_t reserved0;
} byoc_step_table_t;

#ifdef __cplusplus
}
#endif

#endif
