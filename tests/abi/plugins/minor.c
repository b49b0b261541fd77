/* Says which ABI it was built with, which one it is spoken to in, and which of its functions are called; claims every
 * node and makes nothing of them. Built with the headers of two minors: versions_test.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byoc/abi/abi.h"

struct byoc_codegen {
  const byoc_host_t* host;
};

static void note(const byoc_host_t* host, const char* text) {
  byoc_diagnostic_t d;
  memset(&d, 0, sizeof d);
  d.struct_size = sizeof d;
  d.severity = BYOC_NOTE;
  d.node = BYOC_NONE;
  d.message.data = text;
  d.message.size = strlen(text);
  host->diag(host, &d);
}

/* What a later minor appends is there only if the writer of the struct knew it. */
#ifdef BYOC_NEXT_MINOR
#define FURTHER(type, p) (BYOC_HAS(type, p, next_minor) ? "more" : "no more")
#else
#define FURTHER(type, p) ((p)->struct_size > sizeof *(p) ? "more" : "no more")
#endif

static byoc_status_t create(const byoc_create_info_t* info, byoc_codegen_t** codegen) {
  char text[200];
  *codegen = malloc(sizeof **codegen);
  if (*codegen == NULL) return BYOC_OUT_OF_MEMORY;
  (*codegen)->host = info->host;
  snprintf(text, sizeof text, "built for 1.%u, spoken to in 1.%u; %s in the host's table, %s in the target",
           BYOC_ABI_MINOR, info->host->abi_minor, FURTHER(byoc_host_t, info->host),
           FURTHER(byoc_target_t, info->target));
  note(info->host, text);
  return BYOC_OK;
}

static void destroy(byoc_codegen_t* codegen) { free(codegen); }

static byoc_status_t verdicts(byoc_codegen_t* self, const byoc_verdict_request_t* request) {
  (void)self;
  for (uint32_t n = 0; n < request->model->node_count; ++n) {
    byoc_verdict_t v;
    memset(&v, 0, sizeof v);
    v.struct_size = sizeof v;
    v.node = n;
    v.claimed = 1;
    const byoc_status_t status = request->claims->node(request->claims, &v);
    if (status != BYOC_OK) return status;
  }
  return BYOC_OK;
}

static byoc_status_t compile(byoc_codegen_t* self, const byoc_compile_request_t* request) {
  char text[100];
  uint64_t sum = 0;
  for (uint32_t v = 0; v < request->regions[0]->value_count; ++v) {
    const byoc_value_t* value = request->regions[0]->values[v];
    for (uint64_t i = 0; i < value->data_size; ++i) sum += ((const uint8_t*)value->data)[i];
  }
  snprintf(text, sizeof text, "compiles %u nodes, constants sum up to %llu", request->regions[0]->node_count,
           (unsigned long long)sum);
  note(self->host, text);
  return BYOC_OK;
}

static byoc_status_t update_constants(byoc_codegen_t* self, const byoc_update_request_t* request) {
  static const uint8_t ones[4] = {1, 1, 1, 1};
  static const int64_t dims[1] = {4};
  (void)self;
  for (uint32_t v = 0; v < request->regions[0]->value_count; ++v) {
    if ((request->regions[0]->values[v]->flags & BYOC_VALUE_CONSTANT) == 0) continue;
    byoc_constant_t c;
    memset(&c, 0, sizeof c);
    c.struct_size = sizeof c;
    c.dtype = BYOC_U8;
    c.dims = dims;
    c.rank = 1;
    c.data = ones;
    c.data_size = sizeof ones;
    const byoc_status_t status = request->updates->replace(request->updates, 0, v, &c);
    if (status != BYOC_OK) return status;
  }
  return BYOC_OK;
}

#ifndef NEEDS
#define NEEDS 0
#endif

const byoc_plugin_t* byoc_plugin_query_v1(const byoc_query_t* query) {
  static const byoc_plugin_t plugin = {
      .struct_size = sizeof plugin,
      .abi_major = BYOC_ABI_MAJOR,
      .abi_minor = BYOC_ABI_MINOR,
      .min_host_minor = NEEDS,
      .id = BYOC_STRING("test.minor"),
      .name = BYOC_STRING("Minor"),
      .vendor = BYOC_STRING("byoc"),
      .version = BYOC_STRING("1.0"),
      .license = BYOC_STRING("Apache-2.0"),
      .create = create,
      .destroy = destroy,
      .verdicts = verdicts,
      .compile = compile,
      .update_constants = update_constants,
  };
  return query->abi_major == BYOC_ABI_MAJOR ? &plugin : NULL;
}
