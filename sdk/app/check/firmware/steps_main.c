/* Calls the steps of each graph in turn, from the graph that inputs.bin names: each buffer between guard bytes, on
 * memory filled with one kind of junk and then with another. */
#include "steps.h"

#include <string.h>

#include "harness.h"

enum { GUARD = 64, MOST_BUFFERS = 400 };

static const unsigned char fills[] = {0xa5, 0x3c};
static intptr_t results = -1;
static uint32_t current;
static unsigned char* place[MOST_BUFFERS];
static uint32_t sums[MOST_BUFFERS];
static unsigned char* arena_end;

static void record(uint32_t kind, uint32_t detail, uint32_t more, uint32_t bytes) {
  const steps_record_t r = {STEPS_MAGIC, current, kind, detail, more, bytes};
  if (port_write(results, &r, sizeof r)) port_exit(1);
}

/* Called by the ports when the machine faults. */
void harness_finish(uint64_t kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  (void)c;
  (void)d;
  record(kind == HARNESS_STACK_OVERFLOW ? STEPS_OVERFLOW : STEPS_FAULT, (uint32_t)a, (uint32_t)b, 0);
  port_exit(1);
}

static uint32_t sum_of(const unsigned char* data, size_t bytes) {
  uint32_t sum = 2166136261u;
  while (bytes-- != 0) sum = (sum ^ *data++) * 16777619u;
  return sum;
}

/* Addresses that are multiples of the alignment and of nothing larger. */
static void lay_out(const steps_graph_t* g, unsigned char fill) {
  uintptr_t at = (uintptr_t)steps_arena;
  unsigned char* p;
  uint32_t i;
  for (i = 0; i < g->buffer_count; i++) {
    const size_t align = g->buffers[i].align;
    at = (at + GUARD + 2 * align - 1) / (2 * align) * (2 * align) - align;
    if (at < (uintptr_t)steps_arena + GUARD) at += 2 * align;
    place[i] = (unsigned char*)at;
    at += g->buffers[i].bytes;
  }
  at += GUARD;
  arena_end = (unsigned char*)at;
  for (p = steps_arena; p < arena_end; p++) *p = fill;
}

/* The first buffer with a foreign byte before it, buffer_count for one behind the last; -1 if there is none. */
static int32_t beside(const steps_graph_t* g, unsigned char fill) {
  const unsigned char* p = steps_arena;
  uint32_t i;
  for (i = 0; i <= g->buffer_count; i++) {
    const unsigned char* end = i < g->buffer_count ? place[i] : arena_end;
    for (; p < end; p++)
      if (*p != fill) return (int32_t)i;
    if (i < g->buffer_count) p += g->buffers[i].bytes;
  }
  return -1;
}

static int may_write(const steps_call_t* c, uint32_t buffer) {
  const uint32_t first = c->instance + c->inputs, end = first + c->outputs + c->workspaces;
  uint32_t k;
  if (c->instance && c->parameters[0] == buffer) return 1;
  for (k = first; k < end; k++)
    if (c->parameters[k] == buffer) return 1;
  return 0;
}

static void fill_workspaces(const steps_graph_t* g, const steps_call_t* c, unsigned char fill) {
  uint32_t k;
  for (k = 0; k < c->workspaces; k++) {
    const uint16_t b = c->parameters[c->instance + c->inputs + c->outputs + k];
    memset(place[b], fill, g->buffers[b].bytes);
  }
}

/* One element of a float type. */
static int is_nan(const unsigned char* element, uint32_t of) {
  uint16_t half;
  uint32_t single;
  uint64_t real;
  if (of == STEPS_F64) {
    memcpy(&real, element, 8);
    return (real & (UINT64_MAX >> 1)) > UINT64_C(0x7ff0000000000000);
  }
  if (of == STEPS_F32) {
    memcpy(&single, element, 4);
    return (single & 0x7fffffffu) > 0x7f800000u;
  }
  memcpy(&half, element, 2);
  return (half & 0x7fffu) > (of == STEPS_F16 ? 0x7c00u : 0x7f80u);
}

/* Which NaN an operation gives, where several go in, is the compiler's choice. */
static int same_elements(const unsigned char* a, const unsigned char* b, size_t bytes, uint32_t of) {
  const size_t width = of == STEPS_F64 ? 8 : of == STEPS_F32 ? 4 : of != 0 ? 2 : 1;
  size_t k;
  for (k = 0; k + width <= bytes; k += width)
    if (memcmp(a + k, b + k, width) != 0 && (of == 0 || !is_nan(a + k, of) || !is_nan(b + k, of))) return 0;
  return memcmp(a + k, b + k, bytes - k) == 0;
}

/* Once more, with an output in the place of an input: 0 if that gives the same. The place is behind everything. */
static int overlaid_differs(const steps_graph_t* g, const steps_call_t* c, uint32_t overlay, unsigned char fill) {
  const steps_overlay_t* const l = &c->overlays[overlay];
  const uint32_t output = c->instance + c->inputs + l->output, input = c->instance + l->input;
  const uint16_t out = c->parameters[output], in = c->parameters[input];
  const size_t bytes = g->buffers[out].bytes;
  unsigned char* shared = (unsigned char*)(((uintptr_t)arena_end + 63) / 64 * 64);
  void* parameters[MOST_BUFFERS];
  uint32_t k, o;
  for (k = 0; k < c->instance + c->inputs + c->outputs + c->workspaces; k++) parameters[k] = place[c->parameters[k]];
  for (k = c->instance; k < c->instance + c->inputs; k++) {
    int allowed = 0;
    if (c->parameters[k] != in) continue;
    for (o = 0; o < c->overlay_count; o++)
      if (c->overlays[o].output == l->output && c->overlays[o].lead == l->lead &&
          c->instance + c->overlays[o].input == k)
        allowed = 1;
    if (!allowed) return 0; /* the value is another operand too, which may not be overlaid */
    parameters[k] = shared + l->lead;
  }
  parameters[output] = shared;
  memset(shared, fill, bytes);
  memcpy(shared + l->lead, place[in], g->buffers[in].bytes);
  fill_workspaces(g, c, fill);
  return c->call(parameters) != 0 || !same_elements(shared, place[out], bytes, g->buffers[out].of);
}

/* 0: the next step may follow. */
static int step(const steps_graph_t* g, uint32_t s, unsigned char fill) {
  const steps_call_t* c = &g->calls[s];
  void* parameters[MOST_BUFFERS];
  int32_t status;
  uint32_t i;
  for (i = 0; i < c->instance + c->inputs + c->outputs + c->workspaces; i++) parameters[i] = place[c->parameters[i]];
  for (i = 0; i < g->buffer_count; i++) sums[i] = may_write(c, i) ? 0 : sum_of(place[i], g->buffers[i].bytes);
  fill_workspaces(g, c, fill);
  status = c->call(parameters);
  if (status != 0) return record(STEPS_FAILED, s, (uint32_t)status, 0), 1;
  if ((status = beside(g, fill)) >= 0) return record(STEPS_BESIDE, s, (uint32_t)status, 0), 1;
  for (i = 0; i < g->buffer_count; i++)
    if (!may_write(c, i) && sums[i] != sum_of(place[i], g->buffers[i].bytes)) return record(STEPS_CHANGED, s, i, 0), 1;
  if (c->instance) return 0; /* its state is no longer what it was */
  for (i = 0; i < c->overlay_count; i++)
    if (overlaid_differs(g, c, i, fill)) return record(STEPS_OVERLAID, s, i, 0), 1;
  return 0;
}

/* 0: the graph ran through. The given bytes are kept behind the arena's own, as they are read but once. */
static int run(const steps_graph_t* g, const unsigned char* given, uint32_t set, unsigned char fill) {
  uint32_t i, total = 0;
  int32_t status;
  lay_out(g, fill);
  for (i = 0; i < g->buffer_count; i++) {
    if (g->buffers[i].kind == STEPS_VALUE) total += (uint32_t)g->buffers[i].bytes;
    if (g->buffers[i].kind != STEPS_GIVEN) continue;
    memcpy(place[i], given, g->buffers[i].bytes);
    given += g->buffers[i].bytes;
  }
  if (g->init != 0 && (status = g->init(place[g->instance])) != 0) return record(STEPS_INIT, (uint32_t)status, 0, 0), 1;
  for (i = 0; i < g->call_count; i++)
    if (step(g, i, fill)) return 1;
  record(STEPS_DONE, set, fill, total);
  for (i = 0; i < g->buffer_count; i++)
    if (g->buffers[i].kind == STEPS_VALUE && port_write(results, place[i], g->buffers[i].bytes)) port_exit(1);
  return 0;
}

extern unsigned char steps_given[];

static void graph(const steps_graph_t* g, intptr_t inputs) {
  uint32_t set, i;
  size_t bytes = 0;
  int bad = 0;
  if (g->buffer_count > MOST_BUFFERS) port_exit(3);
  for (i = 0; i < g->buffer_count; i++)
    if (g->buffers[i].kind == STEPS_GIVEN) bytes += g->buffers[i].bytes;
  for (set = 0; set < g->sets; set++) {
    if (port_read(inputs, steps_given, bytes)) port_exit(2);
    for (i = 0; i < sizeof fills && !bad; i++) bad = run(g, steps_given, set, fills[i]);
  }
  record(STEPS_END, 0, 0, 0);
}

void board_main(void) {
  const intptr_t inputs = port_open("inputs.bin", HARNESS_READ);
  results = port_open("results.bin", HARNESS_WRITE);
  if (inputs < 0 || results < 0 || port_read(inputs, &current, sizeof current)) port_exit(1);
  for (; current < steps_count; current++) graph(&steps_graphs[current], inputs);
  port_exit(0);
}
