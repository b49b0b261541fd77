/* Plug-ins that are wrong in one way each, chosen by ODD_... at compile time, and a sound one without any. */
#include "byoc/abi/abi.h"

#ifdef ODD_NEWER
#define MINOR (BYOC_ABI_MINOR + 1u)
#else
#define MINOR BYOC_ABI_MINOR
#endif

#ifdef ODD_UNRESOLVED
void no_such_function_anywhere(void);
#endif
#ifdef ODD_EXPECTS_LLVM
void LLVMShutdown(void);
#endif
#ifdef ODD_EXPORTS_LLVM
BYOC_PLUGIN_EXPORT void LLVMContextCreate(void);
void LLVMContextCreate(void) {}
#endif
#ifdef ODD_EXPORTS_MORE
BYOC_PLUGIN_EXPORT void byoc_another(void);
void byoc_another(void) {}
#endif

static byoc_status_t create(const byoc_create_info_t* info, byoc_codegen_t** codegen) {
  (void)info;
  (void)codegen;
#ifdef ODD_UNRESOLVED
  no_such_function_anywhere();
#endif
#ifdef ODD_EXPECTS_LLVM
  LLVMShutdown();
#endif
  return BYOC_FAILED;
}
static void destroy(byoc_codegen_t* codegen) { (void)codegen; }
static byoc_status_t verdicts(byoc_codegen_t* codegen, const byoc_verdict_request_t* request) {
  (void)codegen;
  (void)request;
  return BYOC_FAILED;
}
static byoc_status_t compile(byoc_codegen_t* codegen, const byoc_compile_request_t* request) {
  (void)codegen;
  (void)request;
  return BYOC_FAILED;
}

#ifdef ODD_NO_QUERY
BYOC_PLUGIN_EXPORT int acme_version;
int acme_version = 1;
#define QUERY_LINKAGE static
#define QUERY_NAME hidden_query
QUERY_LINKAGE const byoc_plugin_t* QUERY_NAME(const byoc_query_t* query);
const byoc_plugin_t* (*acme_query)(const byoc_query_t*) = hidden_query;
#else
#define QUERY_LINKAGE
#define QUERY_NAME byoc_plugin_query_v1
#endif

QUERY_LINKAGE const byoc_plugin_t* QUERY_NAME(const byoc_query_t* query) {
  /* A table of the next minor is longer. */
  static const struct {
    byoc_plugin_t known;
    const void* next;
  } plugin = {.known = {
                  .struct_size = MINOR > BYOC_ABI_MINOR ? sizeof plugin : sizeof(byoc_plugin_t),
                  .abi_major = BYOC_ABI_MAJOR,
                  .abi_minor = MINOR,
#ifdef ODD_NEEDS_NEWER
                  .abi_minor = BYOC_ABI_MINOR + 1,
                  .min_host_minor = BYOC_ABI_MINOR + 1,
#endif
                  .id = BYOC_STRING("test.odd"),
                  .name = BYOC_STRING("Odd"),
                  .vendor = BYOC_STRING("byoc"),
                  .version = BYOC_STRING("1.0"),
                  .license = BYOC_STRING("Apache-2.0"),
                  .create = create,
                  .destroy = destroy,
                  .verdicts = verdicts,
                  .compile = compile,
              }};
#ifdef ODD_OTHER_MAJOR
  return query->abi_major == 99 ? &plugin.known : NULL;
#else
  return query->abi_major == BYOC_ABI_MAJOR ? &plugin.known : NULL;
#endif
}
