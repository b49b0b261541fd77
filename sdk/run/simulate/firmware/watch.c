// Runs the model step by step, each step on copies of what it reads, in memory filled with one kind of junk and then
// with another: what it writes beside its buffers, what it changes of its inputs and what it returns goes to
// findings.bin, and the values after each step to dump.bin, those of the first junk before those of the second. With a
// feed, values that are complete after a step become those of feed.bin, which the next steps read then.
#include "byoc_steps.h"
#include "harness.h"

enum { GUARD = 64, MOST_OPERANDS = 256 };

static const unsigned char fills[] = {0xa5, 0x3c};
static intptr_t input_file, dump_file = -1, feed_file = -1, findings_file = -1;
static uint32_t output_index;  // of the step's first output, among those of all steps
static unsigned char* place[MOST_OPERANDS];
static uint32_t sums[MOST_OPERANDS];
static unsigned char fill;

static void fail(uint64_t number) { harness_finish(HARNESS_FILE_FAILED, number, 0, 0, 0); }

static void find(uint32_t kind, uint32_t step, uint32_t operand, int64_t detail) {
  const byoc_step_entry_t* e = &harness_step_table->steps[step];
  const uint32_t operands = e->input_count + e->output_count;
  const uint32_t role = operand < e->input_count ? HARNESS_INPUT
                        : operand < operands     ? HARNESS_OUTPUT
                                                 : HARNESS_WORKSPACE;
  const uint32_t first = role == HARNESS_INPUT ? 0 : role == HARNESS_OUTPUT ? e->input_count : operands;
  const harness_finding_t f = {kind, step, role, operand - first, detail};
  if (port_write(findings_file, &f, sizeof f)) fail(HARNESS_FINDINGS);
}

static void copy(unsigned char* to, const unsigned char* from, uint64_t bytes) {
  while (bytes-- != 0) *to++ = *from++;
}

static void set(unsigned char* to, uint64_t bytes) {
  while (bytes-- != 0) *to++ = fill;
}

static uint32_t sum_of(const unsigned char* data, uint64_t bytes) {
  uint32_t sum = 2166136261u;
  while (bytes-- != 0) sum = (sum ^ *data++) * 16777619u;
  return sum;
}

// The address of these bytes in <model>_run.
static unsigned char* planned(const byoc_place_t* p) {
  switch (p->place) {
    case BYOC_PLACE_INPUT: return (unsigned char*)harness_inputs[p->index].data + p->offset;
    case BYOC_PLACE_OUTPUT: return (unsigned char*)harness_outputs[p->index].data + p->offset;
    case BYOC_PLACE_WORKSPACE: return (unsigned char*)harness_workspaces[p->index].data + p->offset;
    case BYOC_PLACE_INSTANCE: return (unsigned char*)harness_instance + p->offset;
    default: return (unsigned char*)(uintptr_t)p->constant;
  }
}

// Constants, and what lies in a memory that its codegen asked for: an accelerator reads it nowhere else.
static int stays(const byoc_place_t* p) {
  return p->place == BYOC_PLACE_CONSTANT || (p->place == BYOC_PLACE_WORKSPACE && p->index != 0);
}

// Places an operand behind `at` and its guard, with the planned address's remainder of a division by 64, so that it is
// aligned as planned and no better.
static unsigned char* lay_out(uint32_t k, const byoc_place_t* p, unsigned char* at) {
  const uintptr_t wanted = (uintptr_t)planned(p) % 64;
  uintptr_t to = (uintptr_t)at + GUARD;
  to += (wanted + 64 - to % 64) % 64;
  place[k] = (unsigned char*)to;
  return place[k] + p->bytes;
}

static const byoc_place_t* operand_of(const byoc_step_entry_t* e, uint32_t k) {
  const uint32_t operands = e->input_count + e->output_count;
  return k < operands ? &e->operands[k] : &e->workspaces[k - operands];
}

// The step's arguments in memory of its own; where that ends.
static unsigned char* prepare(const byoc_step_entry_t* e, uint32_t count) {
  unsigned char* at = harness_arena;
  uint32_t k;
  for (k = 0; k < count; k++)
    if (!stays(operand_of(e, k))) at = lay_out(k, operand_of(e, k), at);
  at += GUARD;
  set(harness_arena, (uint64_t)(at - harness_arena));
  for (k = 0; k < count; k++) {
    const byoc_place_t* p = operand_of(e, k);
    if (stays(p)) {
      place[k] = planned(p);
    } else if (k < e->input_count ||
               (k < e->input_count + e->output_count && harness_keeps[output_index + k - e->input_count])) {
      copy(place[k], planned(p), p->bytes);
    }
    if (k < e->input_count) sums[k] = sum_of(place[k], p->bytes);
  }
  return at;
}

// Checks that the bytes between the operands are unchanged.
static void check_guards(const byoc_step_entry_t* e, uint32_t count, uint32_t step, const unsigned char* end) {
  const unsigned char* p = harness_arena;
  uint32_t k, before = count;
  for (k = 0; k <= count; k++) {
    if (k < count && stays(operand_of(e, k))) continue;
    const unsigned char* const stop = k < count ? place[k] : end;
    const unsigned char* const start = p;
    for (; p < stop; p++) {
      if (*p == fill) continue;
      // The write is attributed to the nearer operand.
      if (before == count || (k < count && stop - p < p - start))
        find(HARNESS_BESIDE, step, k, -(int64_t)(stop - p));
      else
        find(HARNESS_BESIDE, step, before, (int64_t)(p - start));
      return;
    }
    if (k == count) return;
    p += operand_of(e, k)->bytes;
    before = k;
  }
}

static void call(const byoc_step_entry_t* e, uint32_t step) {
  const uint32_t operands = e->input_count + e->output_count, count = operands + e->workspace_count;
  byoc_step_args_t args = {sizeof args, 0, (void* const*)place, (void* const*)(place + operands), 0, 0, 0};
  unsigned char* end;
  uint32_t k;
  int32_t status;
  harness_begin_step((int32_t)step);
  if (count > MOST_OPERANDS) harness_finish(HARNESS_MODEL_FAILED, count, 4, 0, 0);
  end = prepare(e, count);
  if (e->uses_instance) args.instance = (unsigned char*)harness_instance + e->instance_offset;
  status = e->call(&args);
  if (status != 0) find(HARNESS_RETURNED, step, 0, status);
  check_guards(e, count, step, end);
  for (k = 0; k < e->input_count; k++)
    if (sums[k] != sum_of(place[k], operand_of(e, k)->bytes)) {
      find(HARNESS_CHANGED, step, k, 0);
      break;
    }
  for (k = e->input_count; k < operands; k++) copy(planned(operand_of(e, k)), place[k], operand_of(e, k)->bytes);
  output_index += e->output_count;
}

static void dump(int32_t step, uint32_t* next) {
  for (; *next < harness_dump_count && harness_dumps[*next].step == step; ++*next) {
    const harness_dump_t* d = &harness_dumps[*next];
    if (port_write(dump_file, d->data, d->bytes)) fail(HARNESS_DUMP);
    if (harness_feeds && port_read(feed_file, (void*)(uintptr_t)d->data, d->bytes)) fail(HARNESS_FEED);
  }
}

static void run(void) {
  const byoc_step_table_t* const table = harness_step_table;
  uint32_t s, next = 0, i;
  for (i = 0; i < harness_input_count; i++)
    if (port_read(input_file, harness_inputs[i].data, harness_inputs[i].bytes)) fail(HARNESS_INPUTS);
  for (i = 0; i < harness_output_count; i++) set(harness_outputs[i].data, harness_outputs[i].bytes);
  for (i = 0; i < harness_workspace_count; i++) set(harness_workspaces[i].data, harness_workspaces[i].bytes);
  output_index = 0;
  for (s = 0; s < table->step_count; s++) {
    call(&table->steps[s], s);
    dump((int32_t)s, &next);
  }
  for (i = 0; i < table->move_count; i++) {
    const byoc_step_move_t* m = &table->moves[i];
    copy(planned(&m->to), planned(&m->from), m->to.bytes);
  }
}

// Runs the sequence with one kind of junk.
static void sequence(void) {
  uint32_t i;
  int32_t status;
  input_file = port_open("inputs.bin", HARNESS_READ);
  if (input_file < 0) fail(HARNESS_INPUTS);
  if (harness_feeds && (feed_file = port_open("feed.bin", HARNESS_READ)) < 0) fail(HARNESS_FEED);
  if ((status = harness_init()) != 0) harness_finish(HARNESS_MODEL_FAILED, (uint64_t)(int64_t)status, 1, 0, 0);
  for (i = 0; i < harness_run_count; i++) {
    if (i != 0 && (status = harness_reset_model()) != 0)
      harness_finish(HARNESS_MODEL_FAILED, (uint64_t)(int64_t)status, 2, 0, 0);
    run();
  }
  if ((status = harness_deinit()) != 0) harness_finish(HARNESS_MODEL_FAILED, (uint64_t)(int64_t)status, 3, 0, 0);
}

void harness_watch(void) {
  uint32_t i;
  if ((findings_file = port_open("findings.bin", HARNESS_WRITE)) < 0) fail(HARNESS_FINDINGS);
  if ((dump_file = port_open("dump.bin", HARNESS_WRITE)) < 0) fail(HARNESS_DUMP);
  for (i = 0; i < sizeof fills; i++) {
    fill = fills[i];
    sequence();
  }
  harness_finish(HARNESS_DONE, HARNESS_COUNTS_NOTHING, 0, 0, 0);
}
