/* With LIBRARY: a library that calls itself LLVM, of a version that there never was. Without: a plug-in that is linked
 * with it, and brings a function of LLVM's name itself; it says which of them it reaches. */
#ifdef LIBRARY

void LLVMGetVersion(unsigned* major, unsigned* minor, unsigned* patch);
void LLVMGetVersion(unsigned* major, unsigned* minor, unsigned* patch) {
  *major = 0;
  *minor = 77;
  *patch = 1;
}

#else

#include <stdio.h>
#include <string.h>

#include "byoc/abi/abi.h"

void LLVMGetVersion(unsigned* major, unsigned* minor, unsigned* patch);
/* The host's LLVM has a function of this name, too. */
const char* LLVMGetDefaultTargetTriple(void);
const char* LLVMGetDefaultTargetTriple(void) { return "moon-unknown-elf"; }

static byoc_status_t create(const byoc_create_info_t* info, byoc_codegen_t** codegen) {
  static int object;
  char text[100];
  unsigned major = 0, minor = 0, patch = 0;
  byoc_diagnostic_t d;
  LLVMGetVersion(&major, &minor, &patch);
  snprintf(text, sizeof text, "LLVM %u.%u.%u for %s", major, minor, patch, LLVMGetDefaultTargetTriple());
  memset(&d, 0, sizeof d);
  d.struct_size = sizeof d;
  d.severity = BYOC_WARNING;
  d.node = BYOC_NONE;
  d.message.data = text;
  d.message.size = strlen(text);
  info->host->diag(info->host, &d);
  *codegen = (byoc_codegen_t*)(void*)&object;
  return BYOC_OK;
}

static void destroy(byoc_codegen_t* codegen) { (void)codegen; }

static byoc_status_t verdicts(byoc_codegen_t* codegen, const byoc_verdict_request_t* request) {
  (void)codegen;
  for (uint32_t n = 0; n < request->model->node_count; ++n) {
    byoc_verdict_t v;
    memset(&v, 0, sizeof v);
    v.struct_size = sizeof v;
    v.node = n;
    v.reason = BYOC_REASON_OP;
    v.text.data = "not this";
    v.text.size = 8;
    const byoc_status_t status = request->claims->node(request->claims, &v);
    if (status != BYOC_OK) return status;
  }
  return BYOC_OK;
}

static byoc_status_t compile(byoc_codegen_t* codegen, const byoc_compile_request_t* request) {
  (void)codegen;
  (void)request;
  return BYOC_UNSUPPORTED;
}

const byoc_plugin_t* byoc_plugin_query_v1(const byoc_query_t* query) {
  static const byoc_plugin_t plugin = {.struct_size = sizeof plugin,
                                       .abi_major = BYOC_ABI_MAJOR,
                                       .abi_minor = BYOC_ABI_MINOR,
                                       .id = BYOC_STRING("test.own-llvm"),
                                       .name = BYOC_STRING("Own LLVM"),
                                       .vendor = BYOC_STRING("byoc"),
                                       .version = BYOC_STRING("1.0"),
                                       .license = BYOC_STRING("Apache-2.0"),
                                       .create = create,
                                       .destroy = destroy,
                                       .verdicts = verdicts,
                                       .compile = compile};
  return query->abi_major == BYOC_ABI_MAJOR ? &plugin : NULL;
}

#endif
