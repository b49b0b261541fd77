/* A codegen for Add on floats, in C11 and with the headers of byoc/abi alone. */
#include <byoc/abi/abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One for each export. */
struct byoc_codegen {
  const byoc_host_t* host;
};

static byoc_string_t text(const char* s) {
  const byoc_string_t out = {s, strlen(s)};
  return out;
}

static int equals(const byoc_string_t* s, const char* expected) {
  return s->size == strlen(expected) && memcmp(s->data, expected, s->size) == 0;
}

/* Bits of a diagnostic that are the same everywhere. */
static byoc_status_t fail(const byoc_codegen_t* self, const byoc_region_t* region, uint32_t node, const char* message) {
  byoc_diagnostic_t d;
  memset(&d, 0, sizeof d);
  d.struct_size = sizeof d;
  d.severity = BYOC_ERROR;
  d.region = region;
  d.node = node;
  d.message = text(message);
  self->host->diag(self->host, &d);
  return BYOC_FAILED;
}

static byoc_status_t create(const byoc_create_info_t* info, byoc_codegen_t** codegen) {
  byoc_codegen_t* self = malloc(sizeof *self);
  if (self == NULL) return BYOC_OUT_OF_MEMORY;
  self->host = info->host;
  *codegen = self;
  return BYOC_OK;
}

static void destroy(byoc_codegen_t* self) { free(self); }

static int same_shape(const byoc_value_t* a, const byoc_value_t* b) {
  return a->rank == b->rank && (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0);
}

/* NULL if the node can be compiled, otherwise why not. */
static const char* refusal(const byoc_region_t* model, const byoc_node_t* node, uint32_t* reason) {
  *reason = BYOC_REASON_OP;
  if (node->domain.size != 0 || !equals(&node->op, "Add")) return "only Add is known";
  *reason = BYOC_REASON_ATTRIBUTE;
  if (node->attribute_count != 0) return "no attributes are known";
  const byoc_value_t* a = model->values[node->inputs[0]];
  const byoc_value_t* b = model->values[node->inputs[1]];
  *reason = BYOC_REASON_DTYPE;
  if (a->dtype != BYOC_F32) return "only f32 is known";
  *reason = BYOC_REASON_SHAPE;
  if (!same_shape(a, b)) return "both inputs have to have the same shape";
  *reason = BYOC_REASON_NOT_CONSTANT;
  if ((a->flags & BYOC_VALUE_CONSTANT) || (b->flags & BYOC_VALUE_CONSTANT)) return "constant inputs are not known";
  *reason = BYOC_REASON_NONE;
  return NULL;
}

static byoc_status_t verdicts(byoc_codegen_t* self, const byoc_verdict_request_t* request) {
  (void)self;
  for (uint32_t n = 0; n < request->model->node_count; ++n) {
    byoc_verdict_t verdict;
    memset(&verdict, 0, sizeof verdict);
    verdict.struct_size = sizeof verdict;
    verdict.node = n;
    const char* why = refusal(request->model, request->model->nodes[n], &verdict.reason);
    verdict.claimed = why == NULL;
    verdict.text = text(why == NULL ? "" : why);
    const byoc_status_t status = request->claims->node(request->claims, &verdict);
    if (status != BYOC_OK) return status;
  }
  return BYOC_OK;
}

/* Writes one C source as an artifact. */
static byoc_status_t hand_over_source(const byoc_build_t* build, byoc_string_t name, const char* source) {
  byoc_artifact_t artifact;
  memset(&artifact, 0, sizeof artifact);
  artifact.struct_size = sizeof artifact;
  artifact.kind = BYOC_ARTIFACT_C_SOURCE;
  artifact.name = name;
  uint32_t handle;
  byoc_status_t status = build->artifact_begin(build, &artifact, &handle);
  if (status == BYOC_OK) status = build->artifact_write(build, handle, source, strlen(source));
  if (status == BYOC_OK) status = build->artifact_end(build, handle);
  return status;
}

static byoc_status_t compile_node(byoc_codegen_t* self, const byoc_compile_request_t* request, uint32_t r, uint32_t n) {
  const byoc_build_t* build = request->build;
  const byoc_region_t* region = request->regions[r];
  const byoc_node_t* node = region->nodes[n];
  const byoc_value_t* out = region->values[node->outputs[0]];
  uint64_t count = 1;
  for (uint32_t i = 0; i < out->rank; ++i) count *= (uint64_t)out->dims[i];

  const byoc_string_t stem = BYOC_STRING("plain_add");
  byoc_string_t symbol;
  byoc_status_t status = build->claim(build, &stem, &symbol);
  if (status != BYOC_OK) return status;

  char source[1024];
  const int length = snprintf(source, sizeof source,
                              "#include <stdint.h>\n"
                              "#include \"%.*s\"\n"
                              "int32_t %.*s(const float *a, const float *b, float *sum) {\n"
                              "  for (uint32_t i = 0; i < %lluu; ++i) sum[i] = a[i] + b[i];\n"
                              "  return 0;\n"
                              "}\n",
                              (int)request->internal_header.size, request->internal_header.data, (int)symbol.size,
                              symbol.data, (unsigned long long)count);
  if (length < 0 || (size_t)length >= sizeof source) return fail(self, region, n, "names are too long");
  status = hand_over_source(build, symbol, source);
  if (status != BYOC_OK) return status;

  byoc_operand_t operands[3];
  memset(operands, 0, sizeof operands);
  for (int i = 0; i < 3; ++i) {
    operands[i].struct_size = sizeof operands[i];
    operands[i].kind = BYOC_OPERAND_VALUE;
    operands[i].id = i < 2 ? node->inputs[i] : node->outputs[0];
  }
  const byoc_operand_t* inputs[] = {&operands[0], &operands[1]};
  const byoc_operand_t* outputs[] = {&operands[2]};
  /* Every element is read before it is written. */
  const byoc_overlay_t overlays[] = {{0, 0}, {0, 1}};
  byoc_step_t step;
  memset(&step, 0, sizeof step);
  step.struct_size = sizeof step;
  step.symbol = symbol;
  step.kernel = text("plain_add");
  step.inputs = inputs;
  step.input_count = 2;
  step.outputs = outputs;
  step.output_count = 1;
  step.overlays = overlays;
  step.overlay_count = 2;
  step.nodes = &n;
  step.node_count = 1;
  return build->step(build, r, &step);
}

static byoc_status_t compile(byoc_codegen_t* self, const byoc_compile_request_t* request) {
  for (uint32_t r = 0; r < request->region_count; ++r)
    for (uint32_t n = 0; n < request->regions[r]->node_count; ++n) {
      const byoc_status_t status = compile_node(self, request, r, n);
      if (status != BYOC_OK) return status;
    }
  return BYOC_OK;
}

const byoc_plugin_t* byoc_plugin_query_v1(const byoc_query_t* query) {
  static const byoc_plugin_t plugin = {
      .struct_size = sizeof(byoc_plugin_t),
      .abi_major = BYOC_ABI_MAJOR,
      .abi_minor = BYOC_ABI_MINOR,
      .min_host_minor = 0,
      .id = BYOC_STRING("org.example.plain-c"),
      .name = BYOC_STRING("Plain C"),
      .vendor = BYOC_STRING("Example"),
      .version = BYOC_STRING("1.0"),
      .license = BYOC_STRING("Apache-2.0"),
      .caps = BYOC_CAP_DETERMINISTIC,
      .operators_version = BYOC_OPERATORS_VERSION,
      .create = create,
      .destroy = destroy,
      .verdicts = verdicts,
      .compile = compile,
  };
  return query->abi_major == BYOC_ABI_MAJOR ? &plugin : NULL;
}
