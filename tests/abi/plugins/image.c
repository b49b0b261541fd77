/* A program that knows nothing of byoc: loads plug-ins, asks them who they are, and prints what is in its process then:
 * the libraries, and whether names of byoc's and of LLVM's can be found from elsewhere. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#include "byoc/abi/abi.h"

static int print_library(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  (void)data;
  printf("library %s\n", info->dlpi_name);
  return 0;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"LLVMGetVersion", "LLVMContextCreate", "_ZN4llvm11LLVMContextC1Ev",
                                      BYOC_PLUGIN_QUERY_SYMBOL};
  for (int i = 1; i < argc; ++i) {
    union {
      void* address;
      byoc_plugin_query_fn query;
    } found;
    const byoc_query_t q = {sizeof q, BYOC_ABI_MAJOR, BYOC_ABI_MINOR, 0, BYOC_STRING("a host in C")};
    void* handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return printf("%s\n", dlerror()), 1;
    found.address = dlsym(handle, BYOC_PLUGIN_QUERY_SYMBOL);
    if (found.address == NULL) return printf("%s has no query function\n", argv[i]), 1;
    const byoc_plugin_t* plugin = found.query(&q);
    if (plugin == NULL) return printf("%s serves nobody\n", argv[i]), 1;
    printf("plug-in %.*s\n", (int)plugin->id.size, plugin->id.data);
  }
  dl_iterate_phdr(print_library, NULL);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (dlsym(RTLD_DEFAULT, names[i]) != NULL) printf("found %s\n", names[i]);
  return 0;
}
