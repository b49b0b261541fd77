/* The contract between steps_main.c and the tables generated for one set of graphs. */
#ifndef STEPS_H
#define STEPS_H

#include <stddef.h>
#include <stdint.h>

/* Every buffer of a step is separate and lies between guard bytes. */
enum { STEPS_GIVEN = 0, STEPS_VALUE = 1, STEPS_WORKSPACE = 2, STEPS_INSTANCE = 3 };
enum { STEPS_F16 = 1, STEPS_BF16 = 2, STEPS_F32 = 3, STEPS_F64 = 4 };
typedef struct {
  size_t bytes;
  size_t align;
  uint32_t kind; /* STEPS_GIVEN: read from inputs.bin; STEPS_VALUE: written to results.bin at the end of a run */
  uint32_t of;   /* elements: STEPS_F16 ...; 0: no floats */
} steps_buffer_t;

typedef struct {
  uint16_t output, input;
  size_t lead; /* bytes that the output starts before the input */
} steps_overlay_t;

typedef struct {
  int32_t (*call)(void* const* parameters);
  const uint16_t* parameters; /* buffers: instance if there is one, inputs, outputs, workspaces */
  uint32_t instance;          /* 1: takes it */
  uint32_t inputs, outputs, workspaces;
  const steps_overlay_t* overlays;
  uint32_t overlay_count;
} steps_call_t;

typedef struct {
  const steps_buffer_t* buffers;
  uint32_t buffer_count;
  const steps_call_t* calls;
  uint32_t call_count;
  int32_t (*init)(void*); /* 0: none */
  uint32_t instance;      /* its buffer */
  uint32_t sets;          /* of given bytes */
} steps_graph_t;

extern const steps_graph_t steps_graphs[];
extern const uint32_t steps_count;
extern unsigned char steps_arena[];

/* results.bin: records, each with `bytes` bytes behind it. */
#define STEPS_MAGIC UINT32_C(0x53504554)
enum {
  STEPS_DONE = 1,     /* a set, with the values: detail is the set, more the fill */
  STEPS_FAILED = 2,   /* detail: step, more: what it returned */
  STEPS_BESIDE = 3,   /* detail: step, more: the buffer that it wrote before or behind */
  STEPS_CHANGED = 4,  /* detail: step, more: a buffer that it should not have written */
  STEPS_OVERLAID = 5, /* detail: step, more: overlay; another output than with memory of its own */
  STEPS_INIT = 6,     /* detail: what init returned */
  STEPS_FAULT = 7,
  STEPS_OVERFLOW = 8,
  STEPS_END = 9 /* of a graph */
};
typedef struct {
  uint32_t magic, graph, kind, detail, more, bytes;
} steps_record_t;

#endif
