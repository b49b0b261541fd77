#include "byoc/plugin.hpp"
#include "backends/c/backend.hpp"

namespace byoc::c {
namespace {

struct Make {
  std::unique_ptr<codegen::Codegen> operator()(const PluginContext&) const { return create_backend(); }
};

PluginDescription describe() {
  PluginDescription out;
  out.id = "c";
  out.name = "reference C backend";
  out.vendor = "byoc";
  out.version = "1";
  out.license = "Apache-2.0";
  out.caps |= BYOC_CAP_MEMORY_BUDGET | BYOC_CAP_REWRITES;
  return out;
}

}  // namespace

const byoc_plugin_t* query(const byoc_query_t* q) { return abi::serve<Make>(q, describe); }

}  // namespace byoc::c
