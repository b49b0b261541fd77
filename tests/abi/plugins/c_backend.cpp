// The reference C backend as a plug-in that is loaded, under an id that a loaded plug-in may have.
#include "backends/reference.hpp"
#include "byoc/abi/abi.h"

extern "C" const byoc_plugin_t* byoc_plugin_query_v1(const byoc_query_t* query) {
  const byoc_plugin_t* own = byoc::reference::find("c")->query(query);
  if (own == nullptr) return nullptr;
  static const byoc_plugin_t table = [own] {
    byoc_plugin_t t = *own;
    t.id = BYOC_STRING("test.c");
    t.role = BYOC_ROLE_VENDOR;
    return t;
  }();
  return &table;
}
