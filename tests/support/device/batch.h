/* The contract between batch_main.c and the tables generated for one set of models. */
#ifndef BATCH_H
#define BATCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  size_t bytes;
  size_t align;
} batch_buffer_t;

typedef struct {
  int32_t step; /* -1 behind the last */
  uint32_t buffer;
  size_t offset;
  size_t bytes;
} batch_watched_t;

typedef struct {
  int32_t (*run)(void* instance, const void* inputs, const void* outputs, void* workspace);
  int32_t (*init)(void* instance); /* 0: stateless */
  uint32_t inputs;
  uint32_t outputs;
  const batch_buffer_t* buffers;  /* inputs, outputs, workspace, instance */
  const batch_watched_t* watched; /* by step */
} batch_model_t;

extern const batch_model_t batch_models[];
extern const uint32_t batch_count;
extern unsigned char batch_arena[]; /* large enough for the buffers of any of them */
extern const size_t batch_arena_bytes;

/* results.bin: for each model that ran a record, and the bytes of its outputs behind it; before them a record for each
 * value that is watched, with its index and the bytes that were there. */
#define BATCH_MAGIC UINT32_C(0x48435442)
enum {
  BATCH_DONE = 1,
  BATCH_FAILED = 2,
  BATCH_BESIDE = 3,
  BATCH_FAULT = 4,
  BATCH_OVERFLOW = 5,
  BATCH_INPUT = 6,
  BATCH_WATCHED = 7
};
typedef struct {
  uint32_t magic, index, kind, detail, more, bytes;
} batch_record_t;

#endif
