/* Runs every model of the batch once, from the one that inputs.bin names: each between guard bytes, on memory filled
 * with junk. */
#include "batch.h"
#include "harness.h"
#if defined(BATCH_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)0)
#endif

enum { GUARD = 32, JUNK = 0xa5, MOST_BUFFERS = 200 };

static intptr_t results = -1;
static uint32_t current;
static void* place[MOST_BUFFERS]; /* of the current model */

static void record(uint32_t kind, uint32_t detail, uint32_t more, uint32_t bytes) {
  const batch_record_t r = {BATCH_MAGIC, current, kind, detail, more, bytes};
  if (port_write(results, &r, sizeof r)) port_exit(1);
}

/* Called by the ports when the machine faults. */
void harness_finish(uint64_t kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  (void)c;
  (void)d;
  record(kind == HARNESS_STACK_OVERFLOW ? BATCH_OVERFLOW : BATCH_FAULT, (uint32_t)a, (uint32_t)b, 0);
  port_exit(1);
}

/* Called by roots that are compiled for tracing. */
void byoc_trace(int32_t step) {
  const batch_watched_t* w = batch_models[current].watched;
  uint32_t i;
  if (step < 0) return;
  for (i = 0; w[i].step >= 0; i++) {
    if (w[i].step != step) continue;
    record(BATCH_WATCHED, i, 0, (uint32_t)w[i].bytes);
    if (port_write(results, (const char*)place[w[i].buffer] + w[i].offset, w[i].bytes)) port_exit(1);
  }
}

static uint32_t sum_of(const unsigned char* data, size_t bytes) {
  uint32_t sum = 2166136261u;
  while (bytes-- != 0) sum = (sum ^ *data++) * 16777619u;
  return sum;
}

static void run(const batch_model_t* m, intptr_t inputs) {
  uint32_t sums[MOST_BUFFERS];
  const uint32_t buffers = m->inputs + m->outputs + 2;
  uint32_t total = 0;
  int32_t status;
  size_t i;
  uintptr_t at = (uintptr_t)batch_arena;
  unsigned char* p;
  if (buffers > MOST_BUFFERS) port_exit(3);
  for (i = 0; i < buffers; i++) { /* an address that is a multiple of the alignment and of nothing larger */
    const size_t align = m->buffers[i].align;
    at = (at + GUARD + 2 * align - 1) / (2 * align) * (2 * align) - align;
    if (at < (uintptr_t)batch_arena + GUARD) at += 2 * align;
    place[i] = (void*)at;
    at += m->buffers[i].bytes;
  }
  ASAN_UNPOISON_MEMORY_REGION(batch_arena, batch_arena_bytes);
  for (p = batch_arena; p < (unsigned char*)at + GUARD; p++) *p = JUNK;
  for (i = 0; i < m->inputs; i++) {
    if (port_read(inputs, place[i], m->buffers[i].bytes)) port_exit(2);
    sums[i] = sum_of(place[i], m->buffers[i].bytes);
  }
  ASAN_POISON_MEMORY_REGION(batch_arena, batch_arena_bytes);
  for (i = 0; i < buffers; i++) ASAN_UNPOISON_MEMORY_REGION(place[i], m->buffers[i].bytes);
  if (m->init != 0 && (status = m->init(place[buffers - 1])) != 0) {
    record(BATCH_FAILED, (uint32_t)status, 0, 0);
    return;
  }
  status = m->run(place[buffers - 1], place, place + m->inputs, place[buffers - 2]);
  if (status != 0) {
    record(BATCH_FAILED, (uint32_t)status, 0, 0);
    return;
  }
  ASAN_UNPOISON_MEMORY_REGION(batch_arena, batch_arena_bytes);
  p = batch_arena;
  for (i = 0; i <= buffers; i++) {
    const unsigned char* end = i < buffers ? place[i] : (unsigned char*)at + GUARD;
    for (; p < end; p++)
      if (*p != JUNK) {
        record(BATCH_BESIDE, (uint32_t)i, 0, 0);
        return;
      }
    if (i < buffers) p += m->buffers[i].bytes;
  }
  for (i = 0; i < m->inputs; i++)
    if (sums[i] != sum_of(place[i], m->buffers[i].bytes)) {
      record(BATCH_INPUT, (uint32_t)i, 0, 0);
      return;
    }
  for (i = 0; i < m->outputs; i++) total += m->buffers[m->inputs + i].bytes;
  record(BATCH_DONE, 0, 0, total);
  for (i = 0; i < m->outputs; i++)
    if (port_write(results, place[m->inputs + i], m->buffers[m->inputs + i].bytes)) port_exit(1);
}

void board_main(void) {
  const intptr_t inputs = port_open("inputs.bin", HARNESS_READ);
  results = port_open("results.bin", HARNESS_WRITE);
  if (inputs < 0 || results < 0 || port_read(inputs, &current, sizeof current)) port_exit(1);
  for (; current < batch_count; current++) run(&batch_models[current], inputs);
  port_exit(0);
}
