/* A plug-in that is sound, and takes Relu, unless the environment variable WILD says what it does wrong and in which
 * call: "compile:crash". */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "byoc/abi/abi.h"

struct byoc_codegen {
  const byoc_host_t* host;
  uint32_t asked;
};

static byoc_string_t text(const char* s) {
  const byoc_string_t out = {s, strlen(s)};
  return out;
}

static volatile int* nowhere; /* NULL, which the compiler does not know */

static int recurse(int n) {
  volatile char bytes[4096];
  bytes[0] = (char)n;
  return n == -1 ? 0 : recurse(n + 1) + bytes[0];
}

static int is_wild(const char* call, const char* what) {
  const char* wild = getenv("WILD");
  const size_t n = strlen(call);
  return wild != NULL && strncmp(wild, call, n) == 0 && wild[n] == ':' && strcmp(wild + n + 1, what) == 0;
}

static void* end(void* nothing) {
  exit(0);
  return nothing;
}

static void misbehave(const char* call) {
  if (is_wild(call, "crash")) *nowhere = 1;
  if (is_wild(call, "abort")) {
    fprintf(stderr, "wild: this cannot go on\n");
    abort();
  }
  if (is_wild(call, "exit")) exit(0);
  if (is_wild(call, "quick_exit")) quick_exit(0);
  if (is_wild(call, "thread")) {
    pthread_t other;
    if (pthread_create(&other, NULL, end, NULL) == 0) pthread_join(other, NULL);
  }
  if (is_wild(call, "fork")) {
    const pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
  }
  if (is_wild(call, "overflow")) recurse(0);
  if (is_wild(call, "hang"))
    for (;;) pause();
  if (is_wild(call, "kill")) kill(getpid(), SIGKILL);
  if (is_wild(call, "memory"))
    for (;;) memset(malloc(1 << 20), 1, 1 << 20);
  if (is_wild(call, "scribble")) {
    char junk[256];
    memset(junk, 0x7e, sizeof junk);
    for (int fd = 3; fd < 64; ++fd) (void)!send(fd, junk, sizeof junk, MSG_NOSIGNAL);
  }
  if (is_wild(call, "print")) {
    printf("wild prints\n");
    fflush(stdout);
  }
}

__attribute__((constructor)) static void loaded(void) { misbehave("load"); }

static byoc_status_t create(const byoc_create_info_t* info, byoc_codegen_t** codegen) {
  misbehave("create");
  *codegen = calloc(1, sizeof **codegen);
  (*codegen)->host = info->host;
  if (is_wild("create", "warn")) {
    byoc_diagnostic_t d;
    memset(&d, 0, sizeof d);
    d.struct_size = sizeof d;
    d.severity = BYOC_WARNING;
    d.message = text("wild warns");
    info->host->diag(info->host, &d);
  }
  return BYOC_OK;
}

static void destroy(byoc_codegen_t* codegen) {
  /* Only the one that has worked. */
  if (codegen->asked != 0) misbehave("destroy");
  free(codegen);
}

static byoc_status_t verdicts(byoc_codegen_t* self, const byoc_verdict_request_t* request) {
  ++self->asked;
  misbehave("verdicts");
  for (uint32_t n = 0; n < request->model->node_count; ++n) {
    const byoc_string_t op = request->model->nodes[n]->op;
    byoc_verdict_t v;
    memset(&v, 0, sizeof v);
    v.struct_size = sizeof v;
    v.node = n;
    v.claimed = op.size == 4 && memcmp(op.data, "Relu", 4) == 0;
    v.reason = v.claimed ? BYOC_REASON_NONE : BYOC_REASON_OP;
    v.text = text("only Relu");
    if (is_wild("verdicts", "pointer")) v.text.data = (const char*)16;
    if (is_wild("verdicts", "size")) v.struct_size = 1u << 30;
    if (is_wild("verdicts", "code")) v.exactness = 77;
    if (is_wild("verdicts", "node")) v.node = 1u << 30;
    const byoc_status_t status = request->claims->node(request->claims, &v);
    if (status != BYOC_OK) return status;
  }
  return BYOC_OK;
}

static byoc_status_t compile_node(const byoc_compile_request_t* request, uint32_t r, uint32_t n) {
  const byoc_build_t* build = request->build;
  const byoc_node_t* node = request->regions[r]->nodes[n];
  const byoc_value_t* out = request->regions[r]->values[node->outputs[0]];
  unsigned long long count = 1;
  for (uint32_t i = 0; i < out->rank; ++i) count *= (unsigned long long)out->dims[i];
  const byoc_string_t stem = text("wild_relu");
  byoc_string_t symbol;
  byoc_status_t status = build->claim(build, &stem, &symbol);
  if (status != BYOC_OK) return status;
  char source[1024];
  const int length =
      snprintf(source, sizeof source,
               "#include \"%.*s\"\nint32_t %.*s(const float *in0, float *out0) {\n"
               "  for (int32_t i = 0; i < %llu; ++i) out0[i] = in0[i] < 0.0f ? 0.0f : in0[i];\n  return 0;\n}\n",
               (int)request->internal_header.size, request->internal_header.data, (int)symbol.size, symbol.data, count);
  byoc_artifact_t artifact;
  memset(&artifact, 0, sizeof artifact);
  artifact.struct_size = sizeof artifact;
  artifact.kind = is_wild("compile", "code") ? 4711 : BYOC_ARTIFACT_C_SOURCE;
  artifact.name = symbol;
  if (is_wild("compile", "pointer")) artifact.name.data = (const char*)16;
  if (is_wild("compile", "size")) artifact.name.size = UINT64_MAX;
  uint32_t handle;
  status = build->artifact_begin(build, &artifact, &handle);
  if (status != BYOC_OK) return status;
  status = build->artifact_write(build, handle, is_wild("compile", "bytes") ? (const char*)16 : source,
                                 is_wild("compile", "length") ? UINT64_MAX : (uint64_t)length);
  if (status == BYOC_OK) status = build->artifact_end(build, handle);
  if (status != BYOC_OK) return status;

  byoc_operand_t operands[2];
  memset(operands, 0, sizeof operands);
  for (int i = 0; i < 2; ++i) {
    operands[i].struct_size = sizeof operands[i];
    operands[i].id = i == 0 ? node->inputs[0] : node->outputs[0];
  }
  const byoc_operand_t* inputs[] = {is_wild("compile", "operand") ? (const byoc_operand_t*)16 : &operands[0]};
  const byoc_operand_t* outputs[] = {&operands[1]};
  byoc_step_t step;
  memset(&step, 0, sizeof step);
  step.struct_size = sizeof step;
  step.symbol = symbol;
  step.kernel = text("wild_relu");
  step.inputs = inputs;
  step.input_count = is_wild("compile", "count") ? UINT32_MAX : 1;
  step.outputs = outputs;
  step.output_count = 1;
  step.nodes = &n;
  step.node_count = 1;
  return build->step(build, r, &step);
}

static byoc_status_t compile(byoc_codegen_t* self, const byoc_compile_request_t* request) {
  misbehave("compile");
  if (is_wild("compile", "tell")) {
    const byoc_string_t line = text("packs\nweights"), what = text("packing\t");
    self->host->log(self->host, BYOC_LOG_INFO, &line);
    self->host->progress(self->host, 3, 10, &what);
    self->host->progress(self->host, 4, 0, &what);
  }
  if (is_wild("compile", "last words")) {
    byoc_diagnostic_t d;
    memset(&d, 0, sizeof d);
    d.struct_size = sizeof d;
    d.severity = BYOC_ERROR;
    d.message = text("no licence");
    self->host->diag(self->host, &d);
    exit(0);
  }
  byoc_string_t folder;
  const byoc_status_t got = self->host->scratch_directory(self->host, &folder);
  if (got != BYOC_OK) return got;
  for (uint32_t r = 0; r < request->region_count; ++r)
    for (uint32_t n = 0; n < request->regions[r]->node_count; ++n) {
      const byoc_status_t status = compile_node(request, r, n);
      if (status != BYOC_OK) return status;
    }
  return BYOC_OK;
}

/* Replaces nothing that is there. */
static byoc_status_t update_constants(byoc_codegen_t* self, const byoc_update_request_t* request) {
  (void)self;
  misbehave("update");
  if (!is_wild("update", "pointer") && !is_wild("update", "region")) return BYOC_OK;
  byoc_constant_t c;
  memset(&c, 0, sizeof c);
  c.struct_size = sizeof c;
  c.dtype = BYOC_U8;
  c.data_size = 1;
  c.data = is_wild("update", "pointer") ? (const void*)16 : "x";
  return request->updates->replace(request->updates, is_wild("update", "region") ? 77 : 0, 0, &c);
}

static const void* extension(const byoc_string_t* id) {
  (void)id;
  misbehave("extension");
  return NULL;
}

const byoc_plugin_t* byoc_plugin_query_v1(const byoc_query_t* query) {
  static const byoc_plugin_t plugin = {.struct_size = sizeof plugin,
                                       .abi_major = BYOC_ABI_MAJOR,
                                       .abi_minor = BYOC_ABI_MINOR,
                                       .id = BYOC_STRING("test.wild"),
                                       .name = BYOC_STRING("Wild"),
                                       .vendor = BYOC_STRING("byoc"),
                                       .version = BYOC_STRING("1.0"),
                                       .license = BYOC_STRING("Apache-2.0"),
                                       .create = create,
                                       .destroy = destroy,
                                       .verdicts = verdicts,
                                       .compile = compile,
                                       .extension = extension,
                                       .update_constants = update_constants};
  misbehave("query");
  return query->abi_major == BYOC_ABI_MAJOR ? &plugin : NULL;
}
